"""Fuzz the readers of untrusted bytes, guided by coverage.

usage: python -m tests.fuzz [--seconds N] [--seed N] [--jobs N] [--keep FOLDER] [TARGET...]

Each target has its share of the time, in a process of its own (libFuzzer through atheris), N of them
at a time.  What was tried and reached new code is kept in FOLDER (build/fuzz) for the next time; what
fails is written to tests/fuzz/found, where the tests try it ever after.  Ends with 1 when something
failed.  With a seed what is tried depends on how long alone.  Where there is no atheris nothing is
fuzzed, and it says so.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import importlib
import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
FOUND = HERE / "found"

#: What one input may take: seconds, megabytes; and how long it may be.
SECONDS, MEGABYTES, LONGEST = 20, 1000, 8_000


def main() -> int:
    """Fuzz the given targets, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0, help="0, the default, for another each time")
    parser.add_argument("--jobs", type=int, default=min(2, len(os.sched_getaffinity(0))))
    parser.add_argument("--keep", type=Path, default=HERE.parents[1] / "build" / "fuzz")
    arguments = parser.parse_args()
    if not find_spec("atheris"):
        print("atheris is not installed on this Python, so nothing is fuzzed: see `make fuzz`")
        return 0
    from tests.fuzz.seeds import SEEDS

    names = arguments.target or list(SEEDS)
    if unknown := set(names) - set(SEEDS):
        parser.error(f"no target is called {', '.join(unknown)}; there are {', '.join(SEEDS)}")
    share = max(arguments.seconds // len(names), 2)
    arguments.keep.mkdir(parents=True, exist_ok=True)
    _load()
    failed = False
    with ThreadPoolExecutor(arguments.jobs) as pool:
        runs = pool.map(lambda name: _run(name, share, arguments.seed, arguments.keep), names)
        for name, (code, output) in zip(names, runs, strict=True):
            failed |= bool(code)
            summary = [line for line in output.splitlines() if line.startswith(("Done", "#"))]
            print(
                f"{name:10} {'failed' if code else 'sound '}  {' '.join(summary[-1:])}", flush=True
            )
            if code:
                print(output[-3000:], flush=True)
    return int(failed)


def _load() -> None:
    """Import all targets, instrumented, once for the processes that are forked to run them."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import atheris

    with atheris.instrument_imports(include=["printer"], enable_loader_override=False):
        importlib.import_module("tests.fuzz.targets")


def _run(name: str, seconds: int, seed: int, keep: Path) -> tuple[int, str]:
    """Fuzz a target in a forked process; return its exit code and its output."""
    with tempfile.TemporaryFile() as output:
        process = multiprocessing.get_context("fork").Process(
            target=_fuzz, args=(name, seconds, seed, keep, output.fileno())
        )
        process.start()
        process.join()
        output.seek(0)
        return process.exitcode or 0, output.read().decode(errors="replace")


def _fuzz(name: str, seconds: int, seed: int, keep: Path, output: int) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    from tests.fuzz.seeds import SEEDS, WORDS
    from tests.fuzz.targets import TARGETS

    os.dup2(output, 2)
    corpus = keep / name
    corpus.mkdir(parents=True, exist_ok=True)
    for example in SEEDS[name]:
        (corpus / hashlib.sha1(example).hexdigest()).write_bytes(example)
    words = keep / f"{name}.dict"
    escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode("latin-1")) for word in WORDS)
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    FOUND.mkdir(exist_ok=True)
    options = [
        f"-max_total_time={seconds}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={LONGEST}", f"-seed={seed}", f"-artifact_prefix={FOUND / name}-", f"-dict={words}",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[name])
    try:
        atheris.Fuzz()
    except SystemExit as ended:
        # libFuzzer writes what failed in a handler that `multiprocessing` would leave out.
        ctypes.CDLL(None).exit(ended.code)


if __name__ == "__main__":
    sys.exit(main())
