"""Run one benchmark for the runner: `python -m benchmarks.runner_child NAME EFFORT FILE`.

Rows are written to FILE, one line of JSON each, as soon as they are measured, so that they survive
a later failure or stop.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from .protocol import Effort, Unavailable


def main(name: str, effort: str, rows_file: str) -> int:
    """Run a benchmark and write its rows."""
    options = Effort(**json.loads(effort))
    with Path(rows_file).open("a", encoding="utf-8") as file:

        def write_entry(**entry: Any) -> None:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            file.flush()

        try:
            module = importlib.import_module(name)
            for row in module.rows(options):
                write_entry(row=row.to_dict())
        except Unavailable as missing:
            write_entry(missing=str(missing))
        except Exception as error:
            write_entry(failed=f"{type(error).__name__}: {error}")
            raise
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
