"""Run `webprint ARGUMENTS` without the packages of all extras but one: one_extra.py EXTRA ARGUMENTS."""

import sys

from printer.cli import main
from printer.cli.options import EXTRAS

if __name__ == "__main__":
    extra = sys.argv.pop(1)
    packages = {package for _, packages in EXTRAS.values() for package in packages}
    for name in packages.union({"psycopg", "uvloop"}) - set(EXTRAS[extra][1]):
        sys.modules[name] = None  # type: ignore[assignment] # Importing it raises ImportError.
    main()
