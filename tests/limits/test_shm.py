"""A ``/dev/shm`` of 64 KiB, or none: segments are no files there."""

import pytest

from tests.core.native import may_unshare
from tests.harness import METHODS, run_script

CODE = """
    import os, subprocess, sys
    from tests.harness import Worker

    def mount(size):
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", "/dev/shm"]
        subprocess.run(command, check=True)

    def main(method):
        with Worker(method) as worker:
            import sharedarray as xp
            file = os.open("/dev/shm/full", os.O_CREAT | os.O_WRONLY)
            written = os.write(file, bytes(1 << 20))  # nothing else fits in
            assert written == 65536, written
            x = xp.full(100 << 17, 2.0)  # 100 MiB
            assert worker.get("float(xp.sum(x))", x=x) == 200 << 17
            worker.run("x += 1", x=x)
            assert float(x[-1]) == 3
            y = worker.get("xp.full(10 << 17, 4.0)")
            assert float(xp.sum(y)) == 40 << 17
            assert os.listdir("/dev/shm") == ["full"] or method == "forkserver"
            print(os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize)

    if __name__ == "__main__":
        if os.environ.pop("MOUNT", None):
            mount("64k")
        main(sys.argv[1])
    """


@pytest.mark.skipif(not may_unshare("--mount"), reason="mount namespaces are refused here")
@pytest.mark.parametrize("method", METHODS)
def test_a_hundred_megabytes_beside_a_full_dev_shm(method):
    told = run_script(CODE, method, wrapper=["unshare", "--mount"], env={"MOUNT": "1"}).ok()
    assert told == "65536"
