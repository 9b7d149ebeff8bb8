"""Copy the documentation, and every file that it links to: ``site_source.py FOLDER``.

Pages keep their places, so that their links hold in the repository and on the site.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md")
LINK = re.compile(r"\]\(([^)\s#]+)")


def linked_files(page: Path) -> list[Path]:
    """Return the files of this repository that a page links to."""
    targets = LINK.findall(page.read_text("utf-8")) if page.suffix == ".md" else []
    files = ((page.parent / target).resolve() for target in targets if ":" not in target)
    return [file for file in files if file.is_relative_to(ROOT) and file.is_file()]


def main(folder: Path) -> None:
    """Copy all pages and what they link to."""
    waiting = [page.resolve() for pattern in PAGES for page in ROOT.glob(pattern)]
    files: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file not in files:
            files.add(file)
            waiting += linked_files(file)
    shutil.rmtree(folder, ignore_errors=True)
    for file in files:
        target = folder / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
