"""A camera and a consumer: a queue of fresh frames, whose memory is used again and again."""

from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event

import sharedarray as xp

FRAMES = 50
SHAPE = (480, 640, 3)


def produce(frames: "Queue[xp.Array]", finished: Event) -> None:
    """Put frames into the queue, and live until the last one was taken out."""
    for number in range(FRAMES):
        frames.put(xp.full(SHAPE, number, dtype=xp.uint8))
    finished.wait()


def main() -> None:
    """Take the frames out, look at every pixel, and say what is still held."""
    context = get_context("spawn")
    frames, finished = context.Queue(maxsize=4), context.Event()
    camera = context.Process(target=produce, args=(frames, finished))
    camera.start()
    for number in range(FRAMES):
        frame = frames.get()
        assert frame.shape == SHAPE
        assert xp.all(frame == number)
    finished.set()
    camera.join()
    assert camera.exitcode == 0
    size = frame.nbytes / 1024
    print(f"{FRAMES} frames of {size:.0f} KiB, {xp.max(frame)} in the last one")


if __name__ == "__main__":
    main()
