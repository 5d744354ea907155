"""Write measured figures into the pages that show them.

    python -m sharedarray bench --json figures.json
    python benchmarks/tables.py figures.json

Each page says with a comment which tables it shows, ``<!-- figures: making 0 -->`` (the first table
of a benchmark) up to ``<!-- end -->``; what stands between is replaced.
"""

import json
import pathlib
import re
import sys

from sharedarray._bench.table import Table

ROOT = pathlib.Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "performance.md")
PLACE = re.compile(r"(<!-- figures: (\w+)(?: (\d+))? -->\n).*?(<!-- end -->)", re.S)


def replace(text: str, figures: dict) -> str:
    """Return a page with its figures.

    Parameters
    ----------
    text : str
        The page.
    figures : dict
        What ``bench --json`` wrote.

    Raises
    ------
    ValueError
        If the page shows no figures, or some that were not measured.
    """

    def fill(place: re.Match) -> str:
        head, name, number, tail = place.groups()
        if name == "machine":
            about = figures["machine"]
            words = f"{about['cpus']} cores, {about['system']}, Python {about['python']}"
            return f"{head}{words}, NumPy {about['numpy']}\n{tail}"
        if name not in figures["found"]:
            raise ValueError(f"the page shows {name}, which was not measured")
        found = figures["found"][name][int(number)]
        parts = {key: found[key] for key in ("title", "columns", "rows", "notes", "inner")}
        return f"{head}{Table(**parts).as_markdown()}{tail}"

    if not PLACE.search(text):
        raise ValueError("the page shows no figures")
    return PLACE.sub(fill, text)


def main() -> None:
    """Rewrite the pages from the file named on the command line."""
    figures = json.loads(pathlib.Path(sys.argv[1]).read_text())
    for page in PAGES:
        page.write_text(replace(page.read_text(), figures))


if __name__ == "__main__":
    main()
