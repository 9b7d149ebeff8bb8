"""``python -m printer`` is the command ``webprint``."""

from .cli import main

if __name__ == "__main__":
    main()
