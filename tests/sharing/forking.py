"""What programs that fork begin with."""

import textwrap

from tests.harness import run_script

HEAD = """
    import gc, os, sys, threading, time, traceback
    import numpy as np
    import sharedarray as xp

    def fork(child):
        '''Run `child` in a fork; its process id.'''
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                child()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(code)
        return pid

    def reap(pid):
        assert os.waitpid(pid, 0)[1] == 0

    class Gate:
        '''One side waits until the other one opens.'''
        def __init__(self):
            self.ends = os.pipe()
        def open(self):
            os.write(self.ends[1], b"x")
        def wait(self):
            os.read(self.ends[0], 1)

    def post(fd, x):
        '''Send an array by handle through a pipe.'''
        blob = bytes(x.handle())
        os.write(fd, len(blob).to_bytes(2, "little") + blob)

    def fetch(fd):
        '''Open the next one.'''
        blob = os.read(fd, int.from_bytes(os.read(fd, 2), "little"))
        return xp.from_handle(xp.Handle.from_bytes(blob))

    SIZES = [8, 4096, 64 << 10, 1 << 20, 16 << 20]
    """


def script(code, *arguments, before="", **options):
    """Run `before`, the head and the code; the program must be silent on stderr."""
    text = "".join(textwrap.dedent(part) for part in (before, HEAD, code))
    return run_script(text, *arguments, **options).ok()
