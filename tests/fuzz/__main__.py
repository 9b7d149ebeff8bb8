"""Fuzz what reads strangers' bytes, guided by coverage.

usage: python -m tests.fuzz [--seconds N] [--keep FOLDER] [TARGET...]

Each target has its share of the time, in a process of its own (libFuzzer through atheris).  What was
tried and reached new code is kept in FOLDER (build/fuzz) for the next time; what fails is written to
tests/fuzz/found, where the tests try it ever after.  Ends with 1 when something failed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FOUND = HERE / "found"

#: What one input may take: seconds, megabytes; and how long it may be.
SECONDS, MEGABYTES, LONGEST = 20, 1000, 8_000


def main() -> int:
    """Fuzz the targets that were asked for, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=Path, default=HERE.parents[1] / "build" / "fuzz")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        fuzz(asked.target[0], asked.seconds, asked.keep)
        return 0
    from tests.fuzz.seeds import SEEDS

    names = asked.target or list(SEEDS)
    if unknown := set(names) - set(SEEDS):
        parser.error(f"no target is called {', '.join(unknown)}; there are {', '.join(SEEDS)}")
    share = max(asked.seconds // len(names), 3)
    failed = []
    for name in names:
        command = [sys.executable, "-m", "tests.fuzz", "--here", "--seconds", str(share)]
        ran = subprocess.run(
            [*command, "--keep", str(asked.keep), name],
            stderr=subprocess.PIPE, text=True, errors="replace", check=False,
        )  # fmt: skip
        told = [line for line in ran.stderr.splitlines() if line.startswith(("Done", "#"))]
        print(
            f"{name:10} {'failed' if ran.returncode else 'sound '}  {' '.join(told[-1:])}",
            flush=True,
        )
        if ran.returncode:
            failed.append(name)
            print(ran.stderr[-3000:])
    return 1 if failed else 0


def fuzz(name: str, seconds: int, keep: Path) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with atheris.instrument_imports(include=["printer"], enable_loader_override=False):
        from tests.fuzz.targets import TARGETS
    from tests.fuzz.seeds import SEEDS, WORDS

    corpus = keep / name
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS[name]:
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    words = keep / "words.dict"
    escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode("latin-1")) for word in WORDS)
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    FOUND.mkdir(exist_ok=True)
    options = [
        f"-max_total_time={seconds}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={LONGEST}", f"-artifact_prefix={FOUND / name}-", f"-dict={words}",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
