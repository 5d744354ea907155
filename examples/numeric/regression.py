"""Linear regression: least squares in three ways, and how sure one may be."""

import importlib
import sys
from types import ModuleType
from typing import Any


def sample(np: ModuleType, rows: int) -> tuple[Any, Any]:
    """Draw features, one of which says nothing, and what depends on them."""
    rng = np.random.default_rng(31)
    features = rng.normal([5.0, -1.0, 0.0], [2.0, 0.5, 1.0], size=(rows, 3))
    target = features @ np.array([1.5, -2.0, 0.0]) + 4.0 + rng.standard_t(5, rows)
    return features, target


def run(np: ModuleType, rows: int = 300, rounds: int = 200) -> dict[str, Any]:
    """Fit, measure the fit, and repeat it with rows drawn again."""
    features, target = sample(np, rows)
    design = np.column_stack((np.ones(rows), features))
    weights, residuals, rank, _ = np.linalg.lstsq(design, target, rcond=None)
    assert rank == design.shape[1]
    q, r = np.linalg.qr(design)
    by_normal = np.linalg.inv(design.T @ design) @ design.T @ target
    errors = target - design @ weights
    determination = 1 - residuals[0] / np.sum((target - target.mean()) ** 2)
    covariance = residuals[0] / (rows - rank) * np.linalg.inv(r.T @ r)

    rng = np.random.default_rng(32)
    again = np.empty((rounds, len(weights)))
    for row in again:
        chosen = rng.integers(0, rows, rows)
        row[:] = np.linalg.lstsq(design[chosen], target[chosen], rcond=None)[0]
    return {
        "weights": weights,
        "by_qr": np.linalg.solve(r, q.T @ target),
        "by_normal": by_normal,
        "determination": determination,
        "sigma": np.sqrt(np.diag(covariance)),
        "interval": np.percentile(again, [2.5, 97.5], axis=0),
        "correlation": np.corrcoef(features, rowvar=False),
        "line": np.polyfit(features[:, 0], target, 1),
        "worst": np.argsort(-np.abs(errors))[:5],
    }


def main(np: ModuleType) -> None:
    """Show the weights with their intervals."""
    found = run(np)
    names = ("constant", "first", "second", "third")
    for name, weight, low, high in zip(names, found["weights"], *found["interval"], strict=True):
        print(f"{name:9}{weight:7.3f}  between {low:7.3f} and {high:7.3f}")
    same = [np.allclose(found["weights"], found[way]) for way in ("by_qr", "by_normal")]
    print(f"R2 {found['determination']:.3f}; all ways agree: {all(same)}")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
