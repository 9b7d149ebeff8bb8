"""Settings that a request may choose, as the API's description has them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..settings import setting_fields


def options_model(title: str, names: Collection[str]) -> type[BaseModel]:
    """Return a model of some settings, made from the settings."""
    fields: dict[str, Any] = {
        name: (Union[field.annotation, None], Field(None, description=field.description))  # noqa: UP007
        for name, field, _ in setting_fields()
        if name in names
    }
    return create_model(title, __config__=ConfigDict(extra="forbid"), **fields)
