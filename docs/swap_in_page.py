"""Sphinx extension: tables of NumPy's public names, each called while the page is built.

``{swap-in} linalg`` gives the names of ``numpy.linalg`` (``numpy`` itself: ``{swap-in} numpy``),
``{swap-in-rest}`` what does not work, with the reasons, ``{swap-in-count}`` how many there are,
``{swap-in-inputs}`` the arrays that the calls name.
The calls are those of ``tests/swap_in``; one that does not agree with NumPy is a warning.
"""

import functools

from tests.swap_in import compare
from tests.swap_in.calls import CALLS
from tests.swap_in.inputs import INPUTS
from tests.swap_in.names import CLASSES, EXCLUDED, MODULES, public


@functools.cache
def tried(name):
    """What differs from NumPy in the calls of a name, in shared and in private memory."""
    return [
        fault
        for way in ("shared", "private")
        if way in compare.ways(name)
        for call in CALLS.get(name, ())
        for fault in compare.compare(call, name, way)
    ]


def where(name):
    """The module or class that a name stands in; that of `numpy` is empty."""
    owner = name.rpartition(".")[0]
    while owner not in MODULES and owner not in CLASSES:
        owner = owner.rpartition(".")[0]
    return owner


def reason(name):
    """Why a name does not work; None where it does."""
    if name in EXCLUDED:
        return EXCLUDED[name]
    return (tried(name) or [None])[0]


def rows(place):
    """The names of a module or class that work, each with its shortest call."""
    return [
        (name, min(CALLS[name], key=len))
        for name in public()
        if where(name) == place and reason(name) is None
    ]


def rest():
    """The names that do not work, by reason."""
    found = {}
    for name in public():
        if reason(name) is not None:
            found.setdefault(reason(name), []).append(name)
    return found


def setup(app):
    """Register the directives."""
    from docutils import nodes
    from sphinx.util import logging
    from sphinx.util.docutils import SphinxDirective

    logger = logging.getLogger(__name__)

    def table(head, lines):
        """A table of cells of code, or of text where a cell is a string."""
        group = nodes.tgroup(cols=len(head))
        group += [nodes.colspec(colwidth=width) for _, width in head]
        for kind, content in (
            (nodes.thead, [[title for title, _ in head]]),
            (nodes.tbody, lines),
        ):
            part = kind()
            for line in content:
                row = nodes.row()
                for cell in line:
                    words = text(cell) if isinstance(cell, str) else code(cell)
                    row += nodes.entry("", nodes.paragraph("", "", *words))
                part += row
            group += part
        return nodes.table("", group)

    def text(cell):
        """Text with pieces of code between grave accents."""
        parts = enumerate(cell.split("`"))
        return [nodes.literal(part, part) if odd % 2 else nodes.Text(part) for odd, part in parts]

    def code(texts):
        """Pieces of code, one after the other."""
        found = []
        for text in texts:
            found += [nodes.Text(", "), nodes.literal(text, text)]
        return found[1:]

    class Names(SphinxDirective):
        """The names of one module that work."""

        required_arguments = 1

        def run(self):
            place = "" if self.arguments[0] == "numpy" else self.arguments[0]
            lines = [([name], [" ".join(call.split())]) for name, call in rows(place)]
            return [table([("name", 30), ("one of the calls", 70)], lines)]

    class Rest(SphinxDirective):
        """The names that do not work."""

        def run(self):
            for name in CALLS:
                for fault in tried(name):
                    logger.warning("%s differs from NumPy: %s", name, fault)
            lines = [(why, names) for why, names in rest().items()]
            return [table([("why", 40), ("names", 60)], lines)]

    class Count(SphinxDirective):
        """How many there are."""

        def run(self):
            names, missing = public(), sum(map(len, rest().values()))
            calls = sum(len(calls) for calls in CALLS.values())
            sentence = (
                f"NumPy {compare.numpy.__version__} has {len(names)} public names here; "
                f"{len(names) - missing} work, as {calls} calls say, {missing} do not."
            )
            return [nodes.paragraph("", sentence)]

    class Inputs(SphinxDirective):
        """The arrays that the calls name."""

        def run(self):
            return [table([("name", 15), ("array", 85)], [([n], [t]) for n, t in INPUTS.items()])]

    app.add_directive("swap-in", Names)
    app.add_directive("swap-in-inputs", Inputs)
    app.add_directive("swap-in-rest", Rest)
    app.add_directive("swap-in-count", Count)
    return {"parallel_read_safe": True}
