"""Measures code within a process, and prints rows that perf-gate reads.

rounds: blocks in turn, net of an empty block; window: operations per second; cold: fresh state; one_way: latency from
intended starts at a fixed rate. Settings are environment variables, with the defaults of `Protocol`.
"""

import gc
import itertools
import json
import mmap
import os
import random
import statistics
import sys
import time

now = time.perf_counter_ns


def setting(name, default):
    return type(default)(os.environ.get("STOPWATCH_" + name, default))


class Protocol:
    warm_up = setting("WARM_UP", 10_000)
    window = setting("WINDOW", 5.0)
    rounds = setting("ROUNDS", 20)
    sample_ms = setting("SAMPLE_MS", 1.0)
    trials = setting("TRIALS", 32)
    rate = setting("RATE", 100_000)  # the interpreter takes a microsecond for each message
    length = setting("LENGTH", 1.0)
    repetitions = setting("REPETITIONS", 5)
    base = open(os.environ["STOPWATCH_BASE"], "w") if "STOPWATCH_BASE" in os.environ else None


class Collector:
    """The nanoseconds spent in the garbage collector so far."""

    total = began = 0

    @classmethod
    def callback(cls, phase, _):
        if phase == "start":
            cls.began = now()
        else:
            cls.total += now() - cls.began


gc.callbacks.append(Collector.callback)


def row(name, methodology, run, file=None, **metrics):
    key = {"scenario": name, "methodology": methodology, "runIndex": run}
    print(json.dumps({**key, **metrics}), file=file or sys.stdout, flush=True)


def note(text):
    print(text, file=sys.stderr)


def spread(values):
    return f"{statistics.median(values):.3f} ns ({min(values):.3f} to {max(values):.3f})"


def empty():
    pass


def timed(body, times):
    """The nanoseconds of a repeated call, and how many of them the garbage collector took."""
    gc.collect()
    collected, start = Collector.total, now()
    for _ in itertools.repeat(None, times):
        body()
    return now() - start, Collector.total - collected


def rounds(blocks, versions=()):
    """Measures each block `(name, body)` and each pair `(name, base, current)`, in a new random order each round."""
    sides = [(name, body, "", i) for i, (name, body) in enumerate(blocks)]
    for i, (name, base, current) in enumerate(versions, len(sides)):
        sides += [(name, base, " (base)", i), (name, current, " (current)", i)]
    times = {}
    for _, body, _, pair in sides:
        count = 1
        while timed(body, count)[0] < Protocol.sample_ms * 1e6:
            count *= 2
        times[pair] = max(times.get(pair, 1), count)  # versions are repeated equally often
    samples = {side: [] for side in sides}
    for _ in range(Protocol.rounds):
        for side in random.sample(sides, len(sides)):
            count = times[side[3]]
            (gross, collected), (overhead, collected_empty) = timed(side[1], count), timed(empty, count)
            samples[side].append(
                ((gross - overhead) / count, overhead / count, max(collected - collected_empty, 0) / count)
            )
    for (name, _, side, pair), taken in samples.items():
        note(
            f"{name}{side}: {spread([net for net, _, _ in taken])}, of which garbage collection"
            f" {spread([collected for _, _, collected in taken])}; net of an empty block of"
            f" {spread([overhead for _, overhead, _ in taken])}, {times[pair]} times a sample"
        )
        below = sum(net <= 0 for net, _, _ in taken)
        if below:
            note(f"{name}{side}: {below} of {len(taken)} samples are not above the empty block: no cost was measured")
        for run, (net, _, collected) in enumerate(taken):
            metrics = {"timeNs": net, "gcTimeNs": collected}
            if not side:
                row(name, "rounds, net of an empty block", run, launchIndex=1, **metrics)
            elif side == " (current)" or Protocol.base:
                row(name, "pairs in random order", run, Protocol.base if side == " (base)" else None, **metrics)
            else:
                row(name + side, "pairs in random order", run, **metrics)


def window(name, operation):
    """Operations per second over one continuous window."""
    for _ in range(Protocol.warm_up):
        operation()
    gc.collect()
    collected, operations, batch, elapsed = Collector.total, 0, 1, 0
    start = now()
    while elapsed < Protocol.window * 1e9:
        for _ in itertools.repeat(None, batch):
            operation()
        operations, before, elapsed = operations + batch, elapsed, now() - start
        if elapsed - before < Protocol.window * 1e9 / 200:
            batch *= 2
    collected = Collector.total - collected
    row(
        name,
        "one continuous window in the process",
        -1,
        opsPerSecond=operations / (elapsed / 1e9),
        timeNs=elapsed / operations,
        gcTimeNs=collected / operations,
    )


def cold(name, build, operation, warm_code=False):
    """The median time of one operation on fresh state; `build` receives the trial's number."""
    if warm_code:
        for trial in range(Protocol.trials):
            operation(build(trial))
    times = []
    for trial in range(Protocol.trials):
        state = build(trial)
        start = now()
        operation(state)
        times.append(now() - start)
        del state
    note(f"{name}: {spread(times)} in {len(times)} trials")
    kind = "of warm code " if warm_code else ""
    row(name, f"one operation {kind}on fresh state", -1, timeNs=statistics.median(times))


class Rig:
    """A ring buffer in memory shared by a sending process and all receivers: sent, received, messages."""

    SLOTS = 1 << 16

    def __init__(self):
        self.words = memoryview(mmap.mmap(-1, 8 * (self.SLOTS + 3))).cast("Q")
        self.received = 0

    def poll(self, limit, handler):
        """Passes at most this many waiting messages to the handler."""
        taken = min(self.words[0] - self.received, limit)
        for number in range(self.received, self.received + taken):
            handler(self.words[3 + number % self.SLOTS])
        self.received += taken
        self.words[1] = self.received
        return taken

    def send(self, rate, messages, patience):
        """Sends at the scheduled times; word 2 is the result: 1 rate held, 2 not held."""
        words, sent, caught_up, start = self.words, self.words[0], False, now()
        first = sent
        # A sender that is late at the end gets the same time again, because it may just have been descheduled.
        for message in range(messages * 2 + rate // 2):
            if message >= messages and caught_up:
                break
            due = start + message * 1_000_000_000 // rate
            current = now()
            caught_up |= current <= due and message * 4 >= messages * 3
            while current < due or sent - words[1] >= self.SLOTS:
                current = now()
            if current > due + patience:
                break
            words[3 + sent % self.SLOTS] = due
            sent += 1
            words[0] = sent
        words[2] = 1 if sent - first >= messages and caught_up else 2

    def repetition(self, rate, length, poll):
        """The latencies, and whether the rate was held."""
        messages, latencies, start = max(int(rate * length), 4), [], now()
        self.words[2] = 0
        child = os.fork()
        if child == 0:
            try:
                self.send(rate, messages, int(length * 5e8) + 500_000_000)
            finally:
                os._exit(0)
        while True:
            ended = self.words[2]
            taken = poll(self, lambda due: latencies.append(now() - due))
            if ended and not taken:
                break
        os.waitpid(child, 0)
        return latencies, ended == 1, now() - start


def one_way(name, rig, poll):
    """Latency from intended starts at the protocol's rate, received by `poll(rig, handler)`."""
    rate, steps = Protocol.rate, [abs(now() - now()) for _ in range(1001)]
    for repetition in range(Protocol.repetitions + 1):
        latencies, held, elapsed = rig.repetition(rate, Protocol.length, poll)
        if not held:
            reached = max(len(latencies) * 1_000_000_000 // elapsed, 1)
            while reached > 1 and not rig.repetition(reached, min(Protocol.length, 0.2), poll)[1]:
                reached = reached * 4 // 5
            raise SystemExit(f"{name}: {rate} messages/s cannot be held; {reached}/s can")
        latencies.sort()
        at = lambda share: latencies[min(int(share * len(latencies)), len(latencies) - 1)]
        label = " (warmup)" if repetition == 0 else ""
        note(
            f"{name}: Rep {repetition + 1}/{Protocol.repetitions + 1}{label}: min {at(0)} ns, p50 {at(0.5)} ns,"
            f" p99 {at(0.99)} ns, each within {statistics.median(steps)} ns"
        )
        if repetition > 0:
            metrics = {"latencyMs": statistics.fmean(latencies), "latencyMs.min": at(0), "latencyMs.max": at(1)}
            metrics |= {f"latencyP{share}Ms": at(share / 100) for share in (50, 90, 99, 99.9)}
            metrics = {metric: value / 1e6 for metric, value in metrics.items()}
            methodology = "one-way, intended starts, polled in the process"
            row(name, methodology, repetition - 1, launchIndex=1, **metrics, requests=len(latencies))
