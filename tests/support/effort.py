"""How much to test: a sample, or everything with ``make test-all``."""

import os

THOROUGH = bool(os.environ.get("THOROUGH"))
