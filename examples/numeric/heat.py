"""The heat equation on a plate, by slices of the grid."""

import importlib
import sys
from types import ModuleType
from typing import Any


def relax(np: ModuleType, plate: Any, steps: int, rate: float = 0.24) -> Any:
    """Let heat flow between neighbours; returns the largest change of each step."""
    inner = plate[1:-1, 1:-1]
    flow = np.empty_like(inner)
    changes = np.empty(steps)
    for step in range(steps):
        flow[:] = plate[:-2, 1:-1]
        flow += plate[2:, 1:-1]
        flow += plate[1:-1, :-2]
        flow += plate[1:-1, 2:]
        np.subtract(flow, 4 * inner, out=flow)
        flow *= rate
        inner += flow
        changes[step] = np.abs(flow).max()
    return changes


def run(np: ModuleType, size: int = 80, steps: int = 400) -> dict[str, Any]:
    """Warm a plate with one hot edge, one cold one, and a hole that keeps its temperature."""
    plate = np.zeros((size, size))
    plate[0, :] = 100.0
    plate[-1, :] = -20.0
    plate[:, 0] = plate[:, -1] = np.linspace(100.0, -20.0, size)
    hole = plate[size // 3 : size // 2, size // 3 : size // 2]
    changes = []
    for _ in range(4):
        changes.append(relax(np, plate, steps // 4))
        hole.fill(60.0)
    down, right = np.gradient(plate)
    return {
        "plate": plate,
        "changes": np.hstack(changes),
        "flow": np.sqrt(down**2 + right**2),
        "profile": plate.mean(axis=1),
        "middle": np.percentile(plate, [25, 50, 75]),
    }


def main(np: ModuleType) -> None:
    """Show some temperatures."""
    found = run(np)
    with np.printoptions(precision=1, suppress=True, floatmode="fixed"):
        print(found["plate"][::16, ::16])
        print("quartiles", found["middle"])
    print(f"largest change of the last step {found['changes'][-1]:.4f}")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
