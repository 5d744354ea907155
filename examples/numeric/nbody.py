"""Bodies that attract each other, by the leapfrog method."""

import importlib
import sys
from types import ModuleType
from typing import Any


def accelerations(np: ModuleType, places: Any, masses: Any, soft: float = 0.05) -> Any:
    """Compute the pull of all on each."""
    gaps = places[np.newaxis, :, :] - places[:, np.newaxis, :]
    inverse = (np.sum(gaps**2, axis=2) + soft**2) ** -1.5
    np.fill_diagonal(inverse, 0.0)
    return np.einsum("ijk,ij,j->ik", gaps, inverse, masses)


def energy(np: ModuleType, places: Any, speeds: Any, masses: Any, soft: float = 0.05) -> Any:
    """Compute kinetic and potential energy together."""
    kinetic = 0.5 * np.sum(masses * np.einsum("ij,ij->i", speeds, speeds))
    first, second = np.triu_indices(len(masses), k=1)
    distances = np.sqrt(((places[first] - places[second]) ** 2).sum(axis=1) + soft**2)
    return kinetic - (masses[first] * masses[second] / distances).sum()


def run(np: ModuleType, bodies: int = 40, steps: int = 300, dt: float = 0.005) -> dict[str, Any]:
    """Follow a cloud of bodies around a heavy one."""
    rng = np.random.default_rng(1687)
    masses = np.append(rng.uniform(0.5, 1.5, bodies - 1) / bodies, 5.0)
    places = rng.standard_normal((bodies, 3)) * [2.0, 2.0, 0.1]
    places[-1] = 0.0
    speeds = np.cross([0.0, 0.0, 1.0], places)
    speeds /= np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 0.3) ** 1.5
    speeds -= np.average(speeds, axis=0, weights=masses)
    energies = np.empty(steps + 1)
    energies[0] = energy(np, places, speeds, masses)
    pull = accelerations(np, places, masses)
    for step in range(steps):
        speeds += 0.5 * dt * pull
        places += dt * speeds
        pull = accelerations(np, places, masses)
        speeds += 0.5 * dt * pull
        energies[step + 1] = energy(np, places, speeds, masses)
    momentum = masses @ speeds
    return {"places": places, "speeds": speeds, "energies": energies, "momentum": momentum}


def main(np: ModuleType) -> None:
    """Show how well energy and momentum are kept."""
    found = run(np)
    drift = np.ptp(found["energies"]) / abs(found["energies"][0])
    print(f"energy {found['energies'][0]:.4f}, changed by {100 * drift:.3f} %")
    print(f"momentum below 1e-12: {bool(np.all(np.abs(found['momentum']) < 1e-12))}")
    far = np.linalg.norm(found["places"], axis=1)
    print(f"half of the bodies are within {np.median(far):.3f}, all within {far.max():.3f}")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
