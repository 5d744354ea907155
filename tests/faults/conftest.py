"""The zygote that runs the cases, with the shim preloaded."""

import json
import os
import select
import subprocess
import sys
import tempfile

import pytest

from tests.harness.script import ROOT

from . import shim


class Zygote:
    """The process from which each case is forked."""

    def __init__(self, library):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SHAREDARRAY_")}
        path = [str(ROOT), *filter(None, [environment.get("PYTHONPATH")])]
        environment |= {"LD_PRELOAD": str(library), "PYTHONPATH": os.pathsep.join(path)}
        self.stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-X", "dev", "-W", "error", "-m", "tests.faults.zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            cwd=ROOT,
            env=environment,
            text=True,
        )
        self.baseline = [self.run({"served": served}) for served in (False, True)]

    def run(self, case, timeout=150.0):
        """Run one case; its report."""
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        line = self.process.stdout.readline() if ready else ""
        self.stderr.seek(0)
        told = self.stderr.read()
        self.stderr.seek(0)
        self.stderr.truncate()
        assert line, f"no answer to {case}\n{told}"
        report = json.loads(line)
        if told and isinstance(report, dict):
            report["wrong"] = f"{report['wrong'] or ''}; stderr: {told}"
        return report

    def calls(self, served, name):
        """How often the core makes that call in a run in which nothing fails."""
        return self.baseline[served]["calls"].get(name, 0)

    def end(self):
        """Let it end."""
        self.process.stdin.close()
        self.process.stdout.close()
        code = self.process.wait(20)
        self.stderr.close()
        assert code == 0


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Path of the compiled shim."""
    return shim.build(tmp_path_factory.mktemp("shim"))


@pytest.fixture(scope="module")
def zygote(library):
    """The running zygote."""
    running = Zygote(library)
    yield running
    running.end()
