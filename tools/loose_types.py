"""Find what type checkers are not told: `Any`, or no type at all, in signatures that users see.

Users see the public modules, and what those take from private ones: classes, functions, aliases,
NumPy's names by star. ``np.dtype[Any]`` and ``NDArray[Any]`` say what NumPy's own stubs say of
arrays whose element type is not known, so these are no faults.
"""

import ast
import pathlib
import sys

import buildinfo

PACKAGE = buildinfo.ROOT / "sharedarray"
PROGRAMS = {"__main__"}  # modules that nobody imports


class Module:
    """The stub of a module, or else its source.

    Parameters
    ----------
    package : pathlib.Path
        The folder of the package.
    name : str
        Dotted below the package; empty for the package itself.
    """

    def __init__(self, package: pathlib.Path, name: str):
        base = package.joinpath(*name.split(".")) if name else package
        places = [base.with_suffix(".pyi"), base / "__init__.pyi"]
        places += [base.with_suffix(".py"), base / "__init__.py"]
        self.name = name
        self.path = next(place for place in places if place.exists())
        self.inside = name if self.path.stem == "__init__" else name.rpartition(".")[0]
        self.tree = ast.parse(self.path.read_text())

    def imports(self):
        """Yield ``(module, name)`` of what is taken from modules of the package."""
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.level:
                above = self.inside.split(".") if self.inside else []
                above = above[: len(above) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
                for alias in node.names:
                    yield base, alias.name


def public_modules(package: pathlib.Path) -> list[str]:
    """Return the names of the modules that users import."""
    found = {""}
    for path in [*package.rglob("*.py"), *package.rglob("*.pyi")]:
        parts = path.relative_to(package).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in parts):
            found.add(".".join(parts))
    return sorted(found - PROGRAMS)


def seen(package: pathlib.Path) -> dict[str, set[str] | None]:
    """Return what users see of each module: names, or None for all that are public."""
    names: dict[str, set[str] | None] = dict.fromkeys(public_modules(package))
    ahead = list(names)
    while ahead:
        module = Module(package, ahead.pop())
        if module.path.suffix == ".py" and module.name.startswith("_"):
            continue  # a source says in its annotations alone what it takes from others
        for base, name in module.imports():
            if base in names and names[base] is None:
                continue
            if base not in names:
                names[base] = set()
                ahead.append(base)
            if name == "*":
                names[base] = None
            else:
                names[base].add(name)
    return names


def has_any(annotation: ast.expr | None) -> bool:
    """Tell whether an annotation says `Any`, except of the elements of NumPy's arrays."""
    if annotation is None:
        return False
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return has_any(ast.parse(annotation.value, mode="eval").body)
    if isinstance(annotation, ast.Subscript):
        generic = ast.unparse(annotation.value)
        if generic == "Literal":
            return False
        if generic in ("np.dtype", "npt.NDArray") and ast.unparse(annotation.slice) == "Any":
            return False
    if isinstance(annotation, ast.Name):
        return annotation.id == "Any"
    if isinstance(annotation, ast.Attribute):
        return annotation.attr == "Any"
    return any(has_any(child) for child in ast.iter_child_nodes(annotation))


def in_function(function: ast.FunctionDef, method: bool, stub: bool):
    """Yield what is loose in the signature of a function."""
    arguments = function.args
    static = any(ast.unparse(d) == "staticmethod" for d in function.decorator_list)
    named = [*arguments.posonlyargs, *arguments.args]
    if method and not static:
        named = named[1:]
    named += [*arguments.kwonlyargs, *filter(None, [arguments.vararg, arguments.kwarg])]
    for argument in named:
        if argument.annotation is None:
            yield f"{argument.arg} has no type"
        elif has_any(argument.annotation):
            yield f"{argument.arg} is Any"
    if function.returns is None:
        if stub or function.name != "__init__" or named:
            yield "the result has no type"
    elif has_any(function.returns):
        yield "the result is Any"


def in_body(body: list[ast.stmt], names: set[str] | None, stub: bool, owner: str = ""):
    """Yield ``(line, name, what is loose)`` of the named parts of a module or class."""

    def wanted(name: str) -> bool:
        special = name.startswith("__") and name.endswith("__")
        return name in names if names is not None else special or not name.startswith("_")

    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and wanted(node.name):
            for fault in in_function(node, bool(owner), stub):
                yield node.lineno, f"{owner}{node.name}", fault
        elif isinstance(node, ast.ClassDef) and wanted(node.name):
            yield from in_body(node.body, None, stub, f"{owner}{node.name}.")
        elif isinstance(node, ast.AnnAssign):
            alias = ast.unparse(node.annotation) == "TypeAlias"  # signatures may say it
            name = ast.unparse(node.target)
            if (alias and has_any(node.value)) or (wanted(name) and has_any(node.annotation)):
                yield node.lineno, f"{owner}{name}", "is Any"


def faults(package: pathlib.Path = PACKAGE) -> list[str]:
    """Return a line for each loose type that users see.

    Parameters
    ----------
    package : pathlib.Path, optional
        The folder of the package.

    Returns
    -------
    list of str
        Place, name and fault.
    """
    found = []
    for name, names in sorted(seen(package).items()):
        module = Module(package, name)
        stub = module.path.suffix == ".pyi"
        for line, what, fault in in_body(module.tree.body, names, stub):
            place = module.path.relative_to(package.parent)
            found.append(f"{place}:{line}: {what}: {fault}")
    return found


if __name__ == "__main__":
    loose = faults()
    print("\n".join(loose), end="\n" * bool(loose))
    sys.exit(bool(loose))
