"""A parameter sweep: every task gets the same large array, by handle."""

from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context

import sharedarray as xp


def score(data: xp.Array, scale: float, shift: float) -> float:
    """Return how far the scaled data are from having mean 0 and variance 1."""
    scaled = data * scale + shift
    return float(abs(xp.mean(scaled)) + abs(xp.var(scaled) - 1))


def main() -> None:
    """Print the best parameters."""
    data = xp.random.default_rng(1).normal(loc=2.0, scale=4.0, size=(1000, 500))
    grid = list(product([0.125, 0.25, 0.5], [-1.0, -0.5, 0.0]))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        tasks = {pool.submit(score, data, *point): point for point in grid}
        scores = {tasks[task]: task.result() for task in tasks}
    best = min(scores, key=scores.__getitem__)
    print(f"of {len(scores)} pairs, scale {best[0]} and shift {best[1]} are best")
    assert best == (0.25, -0.5)


if __name__ == "__main__":
    main()
