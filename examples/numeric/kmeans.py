"""Clusters by k-means (Lloyd), started by k-means++."""

import importlib
import sys
from types import ModuleType
from typing import Any


def clouds(np: ModuleType, rng: Any, clusters: int, each: int) -> Any:
    """Make points around random centres."""
    centres = rng.uniform(-10, 10, size=(clusters, 2))
    points = np.concatenate([rng.normal(centre, 0.8, (each, 2)) for centre in centres])
    rng.shuffle(points)
    return points


def spread_centres(np: ModuleType, rng: Any, points: Any, clusters: int) -> Any:
    """Choose centres among the points, far ones being likelier."""
    centres = [points[rng.integers(len(points))]]
    while len(centres) < clusters:
        gaps = points[:, None] - np.array(centres)
        nearest = (gaps**2).sum(axis=-1).min(axis=1)
        centres.append(rng.choice(points, p=nearest / nearest.sum()))
    return np.vstack(centres)


def run(np: ModuleType, clusters: int = 5, each: int = 150, seed: int = 11) -> dict[str, Any]:
    """Move each centre to the mean of the points next to it, until none moves."""
    rng = np.random.default_rng(seed)
    points = clouds(np, rng, clusters, each)
    centres = spread_centres(np, rng, points, clusters)
    history = []
    while True:
        distances = np.linalg.norm(points[:, np.newaxis] - centres, axis=2)
        labels = np.argmin(distances, axis=1)
        history.append(np.take_along_axis(distances, labels[:, None], axis=1).mean())
        moved = np.array([points[labels == k].mean(axis=0) for k in range(clusters)])
        if np.allclose(moved, centres):
            break
        centres = moved
    values, counts = np.unique(labels, return_counts=True)
    assert len(values) == clusters
    return {"labels": labels, "centres": centres, "counts": counts, "history": np.array(history)}


def main(np: ModuleType) -> None:
    """Show the clusters, from left to right."""
    found = run(np)
    for k in np.argsort(found["centres"][:, 0]):
        x, y = found["centres"][k]
        print(f"centre ({x:6.2f}, {y:6.2f}) of {found['counts'][k]} points")
    print(f"mean distance {found['history'][0]:.3f}, then {found['history'][-1]:.3f}")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
