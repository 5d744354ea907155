"""Conway's game of life on a torus: rolled copies of the board are its neighbours."""

import importlib
import sys
from types import ModuleType
from typing import Any

GLIDER = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
GUN = """
........................O
......................O.O
............OO......OO............OO
...........O...O....OO............OO
OO........O.....O...OO
OO........O...O.OO....O.O
..........O.....O.......O
...........O...O
............OO
"""


def pattern(np: ModuleType, text: str) -> Any:
    """Read a pattern of dots and letters."""
    lines = text.split()
    cells = np.zeros((len(lines), max(map(len, lines))), dtype=np.uint8)
    for row, line in enumerate(lines):
        cells[row, : len(line)] = [letter == "O" for letter in line]
    return cells


def step(np: ModuleType, board: Any) -> Any:
    """Compute the next generation."""
    around = sum(
        np.roll(board, (down, right), axis=(0, 1))
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if down or right
    )
    return ((around == 3) | ((board == 1) & (around == 2))).astype(np.uint8)


def run(np: ModuleType, size: int = 96, generations: int = 120) -> dict[str, Any]:
    """Let a gun shoot at a glider and some noise."""
    board = np.zeros((size, size), dtype=np.uint8)
    gun = pattern(np, GUN)
    board[5 : 5 + gun.shape[0], 3 : 3 + gun.shape[1]] = gun
    board[-10:-7, -10:-7] = GLIDER
    board[60:, :40] |= np.random.default_rng(4).random((size - 60, 40)) < 0.3
    population = np.empty(generations, dtype=int)
    age = np.zeros_like(board, dtype=np.int32)
    for generation in range(generations):
        following = step(np, board)
        age = np.where(following & board, age + 1, 0)
        board[...] = following
        population[generation] = board.sum()
    return {"board": board, "population": population, "age": age, "oldest": np.argmax(age)}


def main(np: ModuleType) -> None:
    """Play, and show what is left in one corner."""
    found = run(np)
    print(f"population {found['population'][0]} at first, {found['population'][-1]} at last")
    for row in found["board"][:14, :60]:
        print("".join(".O"[cell] for cell in row))


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
