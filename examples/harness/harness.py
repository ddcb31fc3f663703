"""Runs as many operations as each input line says, and prints the nanoseconds that they took."""

import sys
import time
import zlib

DATA = bytes(range(256)) * 4


def operation():
    return zlib.crc32(DATA)


for line in sys.stdin:
    start = time.perf_counter_ns()
    for _ in range(int(line)):
        operation()
    print(time.perf_counter_ns() - start, flush=True)
