"""How tables of calls are written down."""


def each(names, *forms):
    """Calls of several functions in the same forms; ``{}`` stands for the name."""
    return {name: [form.replace("{}", name) for form in forms] for name in names.split()}


def joined(*tables):
    """One table; a name that stands in several has the calls of all."""
    found = {}
    for table in tables:
        for name, calls in table.items():
            found.setdefault(name, []).extend([calls] if isinstance(calls, str) else calls)
    return found


def below(prefix, table):
    """The same table, its names below a module or class."""
    return {f"{prefix}.{name}": calls for name, calls in table.items()}
