"""Noise out of a signal, by its spectrum."""

import importlib
import sys
from types import ModuleType
from typing import Any


def run(np: ModuleType, rate: float = 500.0, seconds: float = 4.0) -> dict[str, Any]:
    """Keep the strong lines of a noisy signal, and compare with the clean one."""
    t = np.arange(0.0, seconds, 1.0 / rate)
    clean = np.sin(2 * np.pi * 7 * t) + 0.6 * np.cos(2 * np.pi * 31 * t + 0.5)
    noisy = clean + np.random.default_rng(8).normal(0.0, 0.8, t.shape)

    spectrum = np.fft.rfft(noisy)
    frequencies = np.fft.rfftfreq(t.size, d=1.0 / rate)
    power = np.abs(spectrum) ** 2 / t.size
    threshold = 12 * np.median(power)
    filtered = np.fft.irfft(np.where(power > threshold, spectrum, 0), n=t.size)

    # The same in the frequency domain of windows, and by a moving average.
    windows = np.lib.stride_tricks.sliding_window_view(noisy, 200)[::100]
    spectrogram = np.abs(np.fft.rfft(windows * np.hanning(200), axis=-1))
    smooth = np.convolve(noisy, np.ones(9) / 9, mode="same")
    return {
        "filtered": filtered,
        "peaks": frequencies[power > threshold],
        "spectrogram": spectrogram,
        "loudest": np.fft.rfftfreq(200, 1 / rate)[spectrogram.argmax(axis=1)],
        "errors": np.array([np.std(x - clean) for x in (noisy, smooth, filtered)]),
    }


def main(np: ModuleType) -> None:
    """Tell what was found."""
    found = run(np)
    print("lines at", ", ".join(f"{f:.2f} Hz" for f in found["peaks"]))
    for name, error in zip(("noisy", "averaged", "filtered"), found["errors"], strict=True):
        print(f"{name:9}{error:.3f} away from the clean signal")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
