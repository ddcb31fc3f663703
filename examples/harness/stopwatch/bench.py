"""Benchmarks measured within a process, using `stopwatch.py` next to this file."""

import stopwatch


SIX = 6


def work(times):
    return sum(range(times * 500))


class Node:
    """Creates garbage that only the garbage collector can free."""

    def __init__(self):
        self.me = self


stopwatch.window("garbage", Node)
stopwatch.cold("insert (cold)", lambda trial: {trial: "a"}, lambda table: table.update(b=1))
stopwatch.cold("insert (warm code)", lambda trial: {trial: "a"}, lambda table: table.update(b=1), warm_code=True)
stopwatch.rounds([("multiply", lambda: 7 * SIX)], versions=[("sum", lambda: work(1), lambda: work(4))])
rig = stopwatch.Rig()
stopwatch.one_way("poll one", rig, lambda rig, handler: rig.poll(1, handler))
stopwatch.one_way("poll all", rig, lambda rig, handler: rig.poll(1 << 62, handler))
