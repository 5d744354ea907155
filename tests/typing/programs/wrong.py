# mypy: warn-unused-ignores
"""Wrong uses, each with the error that a type checker tells: the program is not to be run."""

import sharedarray as xp

x = xp.zeros(3)
xp.zeros("three")  # type: ignore[arg-type]
xp.memory("secret")  # type: ignore[arg-type]
x.no_such_method()  # type: ignore[attr-defined]
xp.no_such_function(x)  # type: ignore[attr-defined]
xp.Storage(8)["first"]  # type: ignore[call-overload]
xp.sin(x, x, x)  # type: ignore[call-arg]
xp.add(x)  # type: ignore[call-arg]
xp.sin(x, casting="whatever")  # type: ignore[arg-type]
xp.sum(x, axis=1.5)  # type: ignore[arg-type]
xp.sort(x, kind="bubble")  # type: ignore[arg-type]
xp.percentile(x)  # type: ignore[call-arg]
xp.linalg.qr(x, mode="thin")  # type: ignore[call-overload]
xp.linalg.solve(x)  # type: ignore[call-arg]
xp.fft.fft(x, norm="whole")  # type: ignore[arg-type]
xp.random.default_rng(1).normal(width=1.0)  # type: ignore[call-overload]
number: int = xp.sum(x)  # type: ignore[assignment]
x.shape = (3,)  # type: ignore[misc]
