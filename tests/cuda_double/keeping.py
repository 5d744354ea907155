"""What bodies of tests keep in their worker from one call to the next."""

KEPT = {}  # of a worker


def keep(name, manager):
    """Enter a context manager and leave it at `drop`."""
    KEPT[name] = (manager, manager.__enter__())
    return KEPT[name][1]


def drop(*names):
    """Leave what was kept, in this order."""
    for name in names:
        KEPT.pop(name)[0].__exit__(None, None, None)


def other_inode(raw):
    """Return the handle as if its descriptor had been used again for another file."""
    return raw[:16] + bytes([raw[16] ^ 1]) + raw[17:]
