"""Run the ``>>>`` examples of Markdown files, each file in a namespace of its own."""

import doctest
import pathlib
import sys

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(text):
    """Keep the lines of fenced code, so that a closing fence is not taken for output."""
    kept, fenced = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        kept.append(line if fenced else "")
    return "\n".join(kept) + "\n"


def check(path):
    """Run the examples of one file and return how many failed and how many there were."""
    test = doctest.DocTestParser().get_doctest(
        examples(path.read_text()), {"__name__": "__main__"}, path.name, str(path), 0
    )
    return doctest.DocTestRunner(optionflags=FLAGS).run(test)


def main(*places):
    """Check files, and the Markdown files directly in folders."""
    paths = []
    for place in map(pathlib.Path, places):
        paths += sorted(place.glob("*.md")) if place.is_dir() else [place]
    results = {path: check(path) for path in paths}
    for path, result in results.items():
        print(f"{path}: {result.attempted} examples, {result.failed} failed")
    return any(result.failed for result in results.values())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
