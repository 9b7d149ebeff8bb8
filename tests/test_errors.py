"""Errors as data, as they are stored, reported and sent by worker processes."""

import json

import pytest

from printer.errors import ErrorRecord, FetchError, FetchTimeout, HTTPStatusError, NoArticle


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (FetchError("no connection"), True),
        (FetchTimeout("too slow"), True),
        (HTTPStatusError("busy", status=503, retry_after=30.0), True),
        (HTTPStatusError("gone", status=410), False),
        (NoArticle("nothing to read", hint="Try another page"), False),
    ],
)
def test_a_record_survives_json_and_says_if_it_may_be_retried(error, transient):
    record = ErrorRecord.of(error)
    assert ErrorRecord.from_dict(json.loads(json.dumps(record.to_dict()))) == record
    assert (record.kind, record.code) == (type(error).__name__, error.exit_code)
    assert record.is_transient is transient


@pytest.mark.parametrize("data", [{}, {"message": 1, "code": "x", "status": None, "more": []}])
def test_a_record_of_a_hostile_process_has_the_types_of_any_other(data):
    assert ErrorRecord.from_dict(data) == ErrorRecord("unknown error")
