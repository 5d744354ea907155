"""Which configurations of the models are searched, and which rules are broken on purpose."""

# Complete searches; together they come to every statement of each model.
SOUND = {
    "core": [
        ("THREADS0=2", "THREADS1=2", "MESSAGES=2"),
        ("RECEIVERS=2", "MESSAGES=2"),
        ("KILLS=1",),
        ("KILLS=1", "RESPAWN", "SERIALS=1", "MESSAGES=2"),
        ("THREADS1=2", "PURGE"),
    ],
    "fork_received": [("KILLS=1",), ("FORKS=2", "OPENS=1")],
    "fork_made": [("FORKS=2",), ("KILLS=1",)],
    "keeper": [
        ("MESSAGES=1",),
        ("MESSAGES=1", "CREATOR_ENDS"),
        ("MESSAGES=1", "INHERITED", "KILLS=1"),
    ],
}

# The larger ones: searched once, by hand (`python -m tests.model`); figures in docs/model.md.
LARGE = {
    "core": [
        ("RECEIVERS=2",),
        ("THREADS0=2", "THREADS1=2"),
        ("THREADS1=2", "KILLS=1"),
        ("KILLS=1", "RESPAWN", "MESSAGES=2"),
    ],
    "fork_received": [("FORKS=2", "OPENS=2"), ("KILLS=2",)],
    "fork_made": [("FORKS=2", "MESSAGES=3"), ("FORKS=2", "KILLS=1")],
    "keeper": [("MESSAGES=2", "INHERITED"), ("MESSAGES=2",), ("MESSAGES=1", "KILLS=1")],
}


# The rule, the configuration in which it matters, and words of the assertion that must fail.
FAULTS = [
    ("core", "EARLY_MARK", ("THREADS0=2",), "message[m].excused"),
    ("core", "NO_SEQUENCE", ("THREADS0=2",), "message[m].excused"),
    ("core", "NO_LOCK", ("THREADS0=2",), "has[i]"),
    ("core", "NO_SERIAL", ("MESSAGES=2",), "assertion violated"),
    ("core", "UNCOUNT_FIRST", ("KILLS=1", "RESPAWN"), "has[i]"),
    ("core", "NO_START", ("KILLS=1", "RESPAWN"), "leaked==word_attached"),
    ("core", "PURGE", ("THREADS1=2", "PURGE"), "has[i]"),
    ("fork_received", "CHILD_UNCOUNTS", ("FORKS=2",), "has[i]"),
    ("fork_received", "PARENT_NAME", ("FORKS=2",), "assertion violated"),
    ("fork_received", "TAKE_OVER", ("KILLS=1",), "has[i]"),
    ("fork_received", "SPARE", ("FORKS=2",), "assertion violated"),
    ("fork_made", "NO_WITNESS", ("FORKS=1",), "has[i]"),
    ("fork_made", "NO_GRANDCHILD", ("FORKS=2",), "has[i]"),
    ("fork_made", "NO_PIN", ("FORKS=1",), "has[i]"),
    ("fork_made", "PIN_FIRST", ("FORKS=1",), "has[i]"),
    ("fork_made", "LOST", ("FORKS=1",), "message[m].opened"),
    ("keeper", "NOT_INHERITED", ("MESSAGES=1", "INHERITED"), "excused[m]"),
    ("keeper", "KEEP_WHO", ("MESSAGES=1",), "excused[m]"),
    ("keeper", "TAKE_OVER", ("MESSAGES=1",), "assertion violated"),
    ("keeper", "READY_EARLY", ("MESSAGES=1", "CREATOR_ENDS"), "excused[m]"),
]

# Statements that these configurations do not come to, by words of their line; and the reason.
NEVER = {
    "keeper": {
        "k = k + 1": "a second keeper: MESSAGES=2, among the large ones",
        "former_counted = 0; former_entry": "the keeper looks whether the entry still is its own, "
        "and it always is, because the creator looks too",
        "m = 1": "a second message: MESSAGES=2, among the large ones",
    },
}
