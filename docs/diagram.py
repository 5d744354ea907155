"""Draw ``_static/handle.svg``: two processes, one segment, one handle.

Run without arguments to write the file again.
"""

import pathlib

TARGET = pathlib.Path(__file__).parent / "_static" / "handle.svg"
WIDTH, HEIGHT = 720, 300
INK, PAPER, SHARED, SOFT = "#1f2933", "#ffffff", "#d8ecd9", "#eef2f6"


def box(x: int, y: int, width: int, height: int, fill: str) -> str:
    """Return a rectangle with round corners."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8"'
        f' fill="{fill}" stroke="{INK}"/>'
    )


def text(x: int, y: int, words: str, *, code: bool = False, size: int = 15) -> str:
    """Return centred words."""
    family = "monospace" if code else "sans-serif"
    return (
        f'<text x="{x}" y="{y}" text-anchor="middle" font-family="{family}"'
        f' font-size="{size}" fill="{INK}">{words}</text>'
    )


def arrow(x1: int, y1: int, x2: int, y2: int, *, dashed: bool = False) -> str:
    """Return an arrow."""
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" stroke-width="1.6"'
        f' marker-end="url(#head)"{dash}/>'
    )


def draw() -> str:
    """Return the picture as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" role="img"'
        ' aria-label="A handle travels between two processes; both map one segment.">',
        '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8"'
        f' markerHeight="8" orient="auto"><path d="M0 0 10 5 0 10z" fill="{INK}"/></marker></defs>',
        box(0, 0, WIDTH, HEIGHT, PAPER).replace(f' stroke="{INK}"', ""),
        box(30, 30, 230, 110, SOFT),
        text(145, 55, "process A"),
        text(145, 86, "x = xp.zeros((20_000, 20_000))", code=True, size=11),
        text(145, 112, "queue.put(x)", code=True, size=13),
        box(460, 30, 230, 110, SOFT),
        text(575, 55, "process B"),
        text(575, 86, "x = queue.get()", code=True, size=13),
        text(575, 112, "x[:100] = 1.0", code=True, size=13),
        arrow(264, 85, 456, 85),
        text(360, 72, "handle: under 512 bytes", size=13),
        text(360, 106, "whatever the size of x", size=13),
        box(150, 210, 420, 60, SHARED),
        text(360, 236, "one segment of shared memory: 3.2 GB, once"),
        text(360, 257, "no name, no daemon; gone with its last process", size=12),
        arrow(145, 140, 220, 206, dashed=True),
        arrow(575, 140, 500, 206, dashed=True),
        text(150, 182, "maps", size=13),
        text(572, 182, "maps", size=13),
        "</svg>\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(draw())
