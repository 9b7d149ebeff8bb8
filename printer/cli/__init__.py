"""The command line."""

from __future__ import annotations


def main() -> None:
    """Run ``webprint``; the process ends with the exit code of errors.py."""
    from .app import run

    run()
