"""``python -m tests.stress``: see the package."""

import argparse
import itertools
import random
import sys
import time

from . import plan, planted, report
from .running import perform


def parser():
    """Return the command line's description."""
    p = argparse.ArgumentParser(prog="python -m tests.stress", description=__doc__)
    p.add_argument("--seconds", type=float, default=60.0)
    p.add_argument("--seed", type=int, help="default: a new one, which is printed")
    p.add_argument("--workers", type=int, default=8)
    p.add_argument(
        "--keeper",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="workers end normally with unopened messages, which must not be lost",
    )
    p.add_argument("--plant", choices=sorted(planted.FAULTS), default="", help="make this fault")
    p.add_argument("--silence", type=float, default=30.0, help="seconds until a worker hangs")
    p.add_argument("--plan", metavar="NAME", help="show what such a process decides, and end")
    return p


class Ticker:
    """Figures once a minute."""

    def __init__(self):
        self.begun = self.last = time.monotonic()

    def __call__(self, run):
        now = time.monotonic()
        if now - self.last > 60:
            self.last = now
            f = report.summary(run, now - self.begun, {"orphans": 0, "normal": 0, "workers": 0})
            print(
                f"{f['seconds']:.0f} s: {f['opened']:,} transfers, {f['killed']:,} killed, "
                f"{f['forks']:,} forks, {f['lost']:,} lost",
                flush=True,
            )


def main():
    """Run and judge."""
    asked = parser().parse_args()
    seed = random.SystemRandom().randrange(10**6) if asked.seed is None else asked.seed
    if asked.plan:
        for decision in itertools.islice(plan.decisions(seed, asked.plan), 100):
            print(*decision)
        return 0
    print(f"seed {seed}", flush=True)
    outcome = perform(
        asked.seconds,
        seed,
        slots=asked.workers,
        keeper=asked.keeper,
        plant=asked.plant,
        silence=asked.silence,
        tick=Ticker(),
    )
    print(outcome)
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
