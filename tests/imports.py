"""Reads what imports what: Python imports, Cython cimports and C includes of the project."""

import ast
import pathlib
import re
import typing

CIMPORT = re.compile(r"^\s*from\s+(?P<base>[.\w]+)\s+c?import\s+(?P<names>\([^)]*\)|.+)$", re.M)
PLAIN = re.compile(r"^\s*c?import\s+(?P<names>[\w., ]+)$", re.M)
EXTERN = re.compile(
    r"^cdef\s+extern\s+from\s+\"(?P<file>[^\"]+)\"[^\n]*\n(?P<block>(?:[ \t]+[^\n]*\n|\n)*)", re.M
)
LINKED = re.compile(r"^(?!static\b)\w[\w \t*]*?\b(\w+)\s*\([^;{}]*\)\s*\{", re.M)
FUNCTION = re.compile(r"(\w+)\"?\s*\((?!\*)")
INCLUDE = re.compile(r"^\s*#\s*include\s+\"(?P<file>[^\"]+)\"", re.M)


class Edge(typing.NamedTuple):
    """One import: who, whom, and the file it stands in."""

    importer: str
    imported: str
    where: str


def modules(root):
    """Map the dotted name below the package of each module to its files."""
    found = {}
    for folder, suffixes in (("sharedarray", (".py",)), ("pyx/sharedarray", (".pyx", ".pxd"))):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes:
                name = ".".join(path.relative_to(root / folder).with_suffix("").parts)
                found.setdefault(name.removesuffix("__init__").rstrip("."), []).append(path)
    return found


def package_of(name, path):
    """Return the parts of the package that relative imports in this file start from."""
    return name.split(".") if path.stem == "__init__" else name.split(".")[:-1]


def absolute(base, package):
    """Return the name below the package that `base` means, or None for another library."""
    if base.startswith("."):
        up = len(base) - len(base.lstrip(".")) - 1
        kept = package[: len(package) - up] if up else package
        return ".".join(
            [*(part for part in kept if part), *filter(None, base.lstrip(".").split("."))]
        )
    if base == "sharedarray":
        return ""
    return base.removeprefix("sharedarray.") if base.startswith("sharedarray.") else None


def python_imports(text):
    """Yield ``(base, names)`` of each import statement of a Python file, in functions too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def cython_imports(text):
    """Yield ``(base, names)`` of each import and cimport of a Cython file, in functions too."""
    text = re.sub(r"#.*", "", text)
    for match in CIMPORT.finditer(text):
        names = re.sub(r"[()\n]", " ", match["names"]).split(",")
        yield match["base"], [name.split()[0] for name in names if name.strip()]
    for match in PLAIN.finditer(text):
        yield from ((name.split()[0], []) for name in match["names"].split(","))


def edges(root):
    """Yield an `Edge` for each import inside the package; the package itself is named ``""``."""
    known = modules(root)
    for name, paths in known.items():
        for path in paths:
            imports = python_imports if path.suffix == ".py" else cython_imports
            for base, names in imports(path.read_text()):
                target = absolute(base, package_of(name, path))
                if target is None:
                    continue
                below = [f"{target}.{n}".lstrip(".") for n in names]
                targets = {b if b in known else target for b in below} or {target}
                for imported in sorted(targets - {name}):
                    yield Edge(name, imported, str(path.relative_to(root)))


def linked_by(root):
    """Map each C source of the core to the module that it is linked to."""
    listed = root / "pyx/modules.txt"
    found = {}
    for line in listed.read_text().splitlines() if listed.exists() else ():
        module, _, sources = line.partition(":")
        found |= {pathlib.PurePath(source).stem: module for source in sources.split()}
    return found


def externs(root):
    """Yield an `Edge`, and who may, for each function of the project's C that another declares.

    Types, constants and inline functions of its headers may be declared anywhere; a function of a
    C source is linked to one module.
    """
    owner = linked_by(root)
    linked = {
        name: owner.get(source.stem, "_core")
        for source in (root / "pyx/sharedarray/core").glob("*.c")
        for name in LINKED.findall(source.read_text())
    }
    for name, paths in modules(root).items():
        for path in paths:
            if path.suffix == ".py":
                continue
            for match in EXTERN.finditer(path.read_text()):
                header = root / "pyx/sharedarray" / match["file"]
                if not header.exists():
                    continue
                for function in FUNCTION.findall(match["block"]):
                    if linked.get(function, name) != name:
                        where = str(path.relative_to(root))
                        edge = Edge(name, f"{function} of {match['file']}", where)
                        yield edge, linked[function]


def includes(root):
    """Yield an `Edge` between C units (a source and its header are one unit) for each include."""
    core = root / "pyx/sharedarray/core"
    for path in sorted(core.glob("*.[ch]")):
        for match in INCLUDE.finditer(path.read_text()):
            unit = pathlib.PurePath(match["file"]).stem
            if unit != path.stem:
                yield Edge(path.stem, unit, str(path.relative_to(root)))


def cycles(graph):
    """Return the groups of names of an iterable of `Edge` that reach one another."""
    after = {}
    for edge in graph:
        after.setdefault(edge.importer, set()).add(edge.imported)

    def reached(name):
        found, ahead = set(), [name]
        while ahead:
            new = after.get(ahead.pop(), set()) - found
            found |= new
            ahead += new
        return found

    below = {name: reached(name) for name in after}
    groups = {
        tuple(sorted({name} | {other for other in below[name] if name in below.get(other, ())}))
        for name in after
    }
    return sorted(group for group in groups if len(group) > 1)
