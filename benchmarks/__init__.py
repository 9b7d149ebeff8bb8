"""What tells how good and how fast webprint is: `make bench`, or each module by itself."""

import sys
from pathlib import Path

# Pages are served, and processes killed, with what the tests have for it.
TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "crawl")]
