"""The plugin that counts skips, run on small suites of its own."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent


def run(folder, source):
    """Run pytest with the plugin over one file and return its status and output."""
    (folder / "test_planted.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-p", "tests.skips", "-q", "-c", "/dev/null"]
    done = subprocess.run(
        [*command, "--rootdir", folder, folder / "test_planted.py"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout


def test_skips_are_counted_by_reason(tmp_path):
    status, output = run(
        tmp_path,
        "import pytest\n"
        "@pytest.mark.parametrize('i', range(3))\n"
        "def test_card(i): pytest.skip('no NVIDIA driver')\n"
        "@pytest.mark.skip('kernel older than 6.1')\n"
        "def test_huge(): pass\n"
        "def test_good(): pass\n",
    )
    assert status == 0
    lines = output.splitlines()
    assert "     3  no NVIDIA driver" in lines
    assert "     1  kernel older than 6.1" in lines
    assert lines[-1].startswith("1 passed, 4 skipped")


@pytest.mark.parametrize(
    "body",
    [
        "pytest.importorskip('a_package_nobody_has')",
        "def test_it(): pytest.importorskip('a_package_nobody_has')",
        "def test_it(): pytest.skip('scipy is not installed')",
        "@pytest.mark.skipif(True, reason='run pip install pandas')\ndef test_it(): pass",
    ],
)
def test_what_could_be_installed_fails_the_run(tmp_path, body):
    status, output = run(tmp_path, f"import pytest\n{body}\n")
    assert status == 1
    assert "can be installed" in output
    assert "1 error" in output.splitlines()[-1]


def test_an_expected_failure_is_no_skip(tmp_path):
    status, output = run(
        tmp_path,
        "import pytest\n"
        "@pytest.mark.xfail(reason='scipy is not installed')\n"
        "def test_it(): assert False\n",
    )
    assert status == 0
    assert "by reason" not in output
