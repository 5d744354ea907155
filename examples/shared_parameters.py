"""Stochastic gradient descent: two workers take their steps on the same parameters."""

from multiprocessing import get_context
from multiprocessing.synchronize import Lock

import sharedarray as xp


class Line:
    """A linear model; its parameters are shared, so whoever has it has the same ones."""

    def __init__(self, inputs: int) -> None:
        self.weights = xp.zeros(inputs)
        self.bias = xp.zeros(())

    def step(self, x: xp.Array, y: xp.Array, rate: float) -> None:
        """Go one step down the gradient of the squared error."""
        error = x @ self.weights + self.bias - y
        self.weights -= rate * 2 * x.T @ error / len(y)
        self.bias -= rate * 2 * xp.mean(error)


def train(model: Line, x: xp.Array, y: xp.Array, seed: int, lock: Lock) -> None:
    """Take 300 steps, each on 32 rows."""
    rng = xp.random.default_rng(seed)
    for _ in range(300):
        rows = rng.choice(len(y), 32, replace=False)
        with lock:  # without it, one worker's step can be lost under the other's
            model.step(x[rows], y[rows], 0.05)


def main() -> None:
    """Train, and print what the parent sees."""
    context = get_context("spawn")
    x = xp.random.default_rng(0).normal(size=(1000, 4))
    wanted = xp.asarray([1.0, -2.0, 3.0, 0.5])
    y = x @ wanted + 0.7
    model, lock = Line(4), context.Lock()
    workers = [context.Process(target=train, args=(model, x, y, seed, lock)) for seed in (0, 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert xp.allclose(model.weights, wanted)
    print("weights", xp.round(model.weights, 3), "bias", xp.round(model.bias, 3))


if __name__ == "__main__":
    main()
