"""Run one experiment with one library: ``program.py PEER EXPERIMENT``."""

import os
import signal
import sys

from outcome import Outcome, tell


def main():
    peer, experiment = sys.argv[1:]
    if peer == "ray":
        from on_ray import EXPERIMENTS
    elif peer == "joblib":
        from on_joblib import EXPERIMENTS
    else:
        from experiments import EXPERIMENTS
    try:
        EXPERIMENTS[experiment](peer)
    except Outcome as outcome:
        tell(outcome.words, outcome.details)
    except Exception as error:
        tell(type(error).__name__, str(error))
    else:
        tell("ok")
        if experiment == "forgotten":
            return  # ends normally
    for child in __import__("multiprocessing").active_children():
        os.kill(child.pid, signal.SIGKILL)
    os._exit(0)


if __name__ == "__main__":
    main()
