"""How much is tried: a sample, or all with ``make test-all``."""

import os

THOROUGH = bool(os.environ.get("THOROUGH"))
