"""PageRank of a random web, by power iteration."""

import importlib
import sys
from types import ModuleType
from typing import Any


def web(np: ModuleType, pages: int, links: int) -> tuple[Any, Any]:
    """Make links; the first pages are linked to more often."""
    rng = np.random.default_rng(98)
    weights = 1.0 / np.arange(1, pages + 1)
    source = rng.integers(0, pages - pages // 10, links)  # the last tenth links nowhere
    target = rng.choice(pages, size=links, p=weights / weights.sum())
    both = np.unique(np.column_stack((source, target)), axis=0)
    return both[:, 0], both[:, 1]


def run(np: ModuleType, pages: int = 400, links: int = 3000, d: float = 0.85) -> dict[str, Any]:
    """Rank the pages by links, and check with the matrix of all links."""
    source, target = web(np, pages, links)
    degree = np.bincount(source, minlength=pages)
    dangling = np.flatnonzero(degree == 0)
    rank = np.full(pages, 1.0 / pages)
    changes: list[float] = []
    while not changes or changes[-1] > 1e-12:
        shares = np.divide(rank, degree, out=np.zeros(pages), where=degree > 0)
        following = np.zeros(pages)
        np.add.at(following, target, shares[source])
        following += rank[dangling].sum() / pages
        following = d * following + (1 - d) / pages
        changes.append(float(np.abs(following - rank).sum()))
        rank = following

    matrix = np.zeros((pages, pages))
    matrix[target, source] = 1.0 / degree[source]
    matrix[:, dangling] = 1.0 / pages
    solved = np.linalg.solve(np.eye(pages) - d * matrix, np.full(pages, (1 - d) / pages))
    return {
        "rank": rank,
        "order": np.lexsort((np.arange(pages), -rank)),
        "changes": changes,
        "agree": np.allclose(rank, solved, rtol=1e-8, atol=1e-12),
        "total": rank.sum(),
    }


def main(np: ModuleType) -> None:
    """Show the first five."""
    found = run(np)
    for place, page in enumerate(found["order"][:5], 1):
        print(f"{place}. page {page}: {found['rank'][page]:.4f}")
    print(f"{len(found['changes'])} iterations, as solved: {found['agree']}")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
