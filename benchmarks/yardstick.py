"""Print what the yardstick of ``streaming.py`` takes alone: one kept mapping, and tuples.

python benchmarks/yardstick.py 65536 1048576 67108864
"""

import sys

from sharedarray._bench.streaming import YARDSTICK, Parent, serve, started
from sharedarray._bench.table import binary, duration
from sharedarray._bench.timing import Contestant, interleave
from sharedarray._bench.yardstick import Kept


def main() -> None:
    for nbytes in map(int, sys.argv[1:]):
        kept = Kept(nbytes)
        with started(serve, kept) as (connection,):
            names = {"way": Parent(connection, kept).down, "who": YARDSTICK, "count": nbytes // 8}
            samples = interleave({YARDSTICK: Contestant("way(who, count)", names)}, 1.0)
        kept.close()
        print(f"{binary(nbytes):>8}  {duration(samples.median(YARDSTICK))}")


if __name__ == "__main__":
    main()
