"""Pool and ledger as a program of their own: no race, no bad access; planted ones are seen."""

import os
import re

import pytest

from . import builds

pytestmark = pytest.mark.slow  # `make tsan` and `make asan` run them

SECONDS = float(os.environ.get("HAMMER_SECONDS", "3"))
DONE = re.compile(r"made (\d+) sent (\d+) opened (\d+) at home (\d+) handed on (\d+) forks (\d+)")


@pytest.mark.parametrize("kind", builds.KINDS)
def test_clean(tmp_path, kind):
    code, told, complaints = builds.run(builds.hammer(tmp_path, kind), SECONDS)
    assert (code, complaints) == (0, ""), complaints
    counts = [list(map(int, line)) for line in DONE.findall(told)]
    assert len(counts) == 2  # two processes
    assert all(n > 0 for line in counts for n in line[:5])
    assert sum(line[5] for line in counts) > 0


RACES = {
    "plain reads of a block's references": (
        "core.h",
        "return __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE);",
        "return b->refs;",
    ),
    "a ticket made without the lock": (
        "ledger.c",
        "int sa_ticket_new(void *p, sa_ticket *out) {\n    sa_lock();\n",
        "int sa_ticket_new(void *p, sa_ticket *out) {\n    ++last_sequence;\n    sa_lock();\n",
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_seen(tmp_path, name):
    program = builds.hammer(tmp_path, "thread", RACES[name])
    code, _, complaints = builds.run(program, 5 * SECONDS)
    assert code != 0
    assert "WARNING: ThreadSanitizer: data race" in complaints


def test_a_heap_overflow_is_seen(tmp_path):
    change = (
        "arena.c",
        "nblocks * sizeof(sa_block) + nblocks * sizeof(uint32_t))",
        "nblocks * sizeof(sa_block) + (nblocks - 1) * sizeof(uint32_t))",
    )
    code, _, complaints = builds.run(builds.hammer(tmp_path, "address", change), SECONDS)
    assert code != 0
    assert "heap-buffer-overflow" in complaints


def test_a_use_after_free_is_seen(tmp_path):
    change = (
        "holds.c",
        "    *at = h->next;\n    free(h);\n",
        "    *at = h->next;\n    free(h);\n    h->refs = 0;\n",
    )
    code, _, complaints = builds.run(builds.hammer(tmp_path, "address", change), SECONDS)
    assert code != 0
    assert "heap-use-after-free" in complaints


def test_an_overflowing_shift_is_seen(tmp_path):
    change = ("pool.h", "if (n <= 512) return", "if (n <= 512 && (1 << (n & 63)) != 7) return")
    code, _, complaints = builds.run(builds.hammer(tmp_path, "address", change), SECONDS)
    assert code != 0
    assert "runtime error: shift exponent" in complaints


def test_a_block_used_twice_is_seen(tmp_path):
    """The program's own look: a block that is recycled while a message names it."""
    change = (
        "blocks.c",
        "    return 0;\n    }\n    seg->refs++;",
        "    sa_refs_set(b, sa_refs(b) - 1);\n        return 0;\n    }\n    seg->refs++;",
    )
    code, _, complaints = builds.run(builds.hammer(tmp_path, "address", change), 2 * SECONDS)
    assert code != 0
    assert re.search("a block holds|end was overwritten|could not be opened|no longer", complaints)
