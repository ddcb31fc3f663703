"""Writes results from SciPy and NumPy to the JSON files next to this script, for comparison in tests/vectors.rs.

    python3 -m venv venv && venv/bin/pip install numpy scipy && venv/bin/python make.py

Everything is seeded: the same versions write the same files. Functions that neither library offers are computed from their
definitions, with integers and fractions.
"""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import scipy
from scipy import stats

HERE = Path(__file__).parent
random = np.random.default_rng(20240607)


def write(name, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    # Only tools/calibrate uses the intervals.
    folder = HERE.parents[4] / "tools/calibrate/tests/vectors" if name == "intervals" else HERE
    (folder / f"{name}.json").write_text(f"[\n{lines}\n]\n", newline="\n")
    print(f"{name}: {len(cases)} cases")


def sample(n, kind, shift=0.0):
    """Values as printed by benchmarks: nearly normal, with ties, with a long tail, or equal with an outlier."""
    if kind == "normal":
        return list(random.normal(10 + shift, 0.5, n))
    if kind == "ties":
        return [float(v) for v in random.integers(5, 11, n) + round(shift)]
    if kind == "tail":
        return list(10 + shift + random.exponential(0.5, n))
    values = [10.0 + shift] * n
    values[n // 2] = 14.0
    return values


KINDS = ["normal", "ties", "tail", "outlier"]


def order():
    for n, kind in itertools.product([1, 2, 3, 4, 5, 10, 11, 30, 40], KINDS):
        x = sample(n, kind)
        quantiles = [[q, float(np.quantile(x, q))] for q in [0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]]
        steps = np.abs(np.diff(x))
        mad = float(stats.median_abs_deviation(x))
        case = {"values": x, "quantiles": quantiles, "median": float(np.median(x)), "mad": mad, "scale": None}
        if n > 1:
            deciles = np.quantile(x, 0.9) - np.quantile(x, 0.1)
            along = 1.4826 * np.median(steps) / math.sqrt(2)
            case["scale"] = float(max(1.4826 * mad, along, deciles / 2.563))
        yield case


def tails():
    fixed = [(20, 18, 0.5), (40, 32, 0.5), (60, 44, 0.5), (20, 17, 0.5), (40, 31, 0.5), (60, 43, 0.5)]
    edges = [(0, 0, 0.5), (0, 1, 0.5), (1, 1, 0.3), (5, 0, 0.1), (5, 6, 0.1), (5, 5, 0.0), (5, 5, 1.0), (5, 1, 1e-12)]
    ranges = [(n, k, p) for n in [1, 7, 30, 300] for k in {1, n // 3, n // 2, n} for p in [0.01, 0.5, 0.93]]
    # Large cases, mostly near the middle.
    large = [(10_000, k, 0.5) for k in [4_800, 5_000, 5_100]] + [(300_000, k, 0.001) for k in [250, 300, 380]]
    for n, k, p in fixed + edges + ranges + large:
        yield {"n": n, "k": k, "p": p, "tail": float(stats.binom.sf(k - 1, n, p))}


def intervals():
    for n in [1, 2, 5, 10, 20, 40, 60, 500, 10_000]:
        for s in sorted({0, 1, n // 3, n - 1, n}):
            for confidence in [0.9, 0.95, 0.999]:
                side = (1 - confidence) / 2
                # Quantiles of the beta distribution, because binomtest's own search stops at 2e-12.
                low = float(stats.beta.ppf(side, s, n - s + 1)) if s else 0.0
                high = float(stats.beta.isf(side, s + 1, n - s)) if s < n else 1.0
                interval = stats.binomtest(s, n).proportion_ci(confidence, method="exact")
                assert math.isclose(low, interval.low, abs_tol=1e-11)
                assert math.isclose(high, interval.high, abs_tol=1e-11)
                yield {"s": s, "n": n, "confidence": confidence, "low": low, "high": high}


def exact_greater(current, base):
    """The exact share of all assignments of values to the two sides whose rank sum is at least as large."""
    ranks = [int(2 * r) for r in stats.rankdata(list(current) + list(base))]
    reached = sum(ranks[: len(current)])
    ways = {(0, 0): 1}
    for rank in ranks:
        more = dict(ways)
        for (count, total), number in ways.items():
            if count < len(current):
                key = (count + 1, total + rank)
                more[key] = more.get(key, 0) + number
        ways = more
    all_ways = math.comb(len(ranks), len(current))
    large = sum(number for (count, total), number in ways.items() if count == len(current) and total >= reached)
    return Fraction(large, all_ways)


def mann_whitney():
    for n, m in [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (5, 8), (2, 11)]:
        for kind, shift in itertools.product(KINDS, [0, 1, -1]):
            a, b = sample(n, kind, shift), sample(m, kind)
            p = exact_greater(a, b)
            # SciPy only enumerates all permutations if each side has at least two values.
            if min(n, m) > 1:
                every = stats.PermutationMethod(n_resamples=np.inf)
                scipys = stats.mannwhitneyu(a, b, alternative="greater", method=every).pvalue
                assert math.isclose(p, scipys, rel_tol=1e-9), (a, b)
            yield {"current": a, "base": b, "p": float(p)}
    for n, m in [(10, 10), (15, 15), (20, 7), (7, 20), (40, 40), (1, 60), (100, 3)]:
        for shift in [0, 0.3, -0.3]:
            a, b = sample(n, "normal", shift), sample(m, "normal")
            p = stats.mannwhitneyu(a, b, alternative="greater", method="exact").pvalue
            yield {"current": a, "base": b, "p": float(p)}
    for n, m in [(12, 12), (20, 30), (30, 20), (40, 40)]:
        for kind, shift in itertools.product(["ties", "outlier"], [0, 1]):
            a, b = sample(n, kind, shift), sample(m, kind)
            yield {"current": a, "base": b, "p": float(exact_greater(a, b))}
    for n, m in [(41, 40), (60, 60), (100, 50), (30, 200)]:
        for kind, shift in itertools.product(KINDS, [0, 0.3, -0.6]):
            a, b = sample(n, kind, shift), sample(m, kind)
            p = stats.mannwhitneyu(a, b, alternative="greater", method="asymptotic").pvalue
            yield {"current": a, "base": b, "p": float(p)}


def multiple():
    yield {"p": [], "adjusted": []}
    for n in [1, 2, 5, 10, 60, 200]:
        for p in [random.uniform(0, 1, n), random.uniform(0, 1, n) ** 4, np.round(random.uniform(0, 0.1, n), 2)]:
            yield {"p": list(p), "adjusted": [float(q) for q in stats.false_discovery_control(p)]}


def outside(n, m, side):
    """The number of ordered differences that may lie outside on one side: the largest c with P[U < c] <= side."""
    ways = [[0] * (n * m + 1) for _ in range(n + 1)]
    ways[0][0] = 1
    for rank in range(n + m):
        for count in range(min(n, rank + 1), 0, -1):
            # The count-th smallest of the chosen ranks is above rank − (count − 1) of the others.
            above = rank - (count - 1)
            for u in range(n * m, above - 1, -1):
                ways[count][u] += ways[count - 1][u - above]
    so_far, c = 0, 0
    for number in ways[n]:
        so_far += number
        if Fraction(so_far, math.comb(n + m, n)) > side:
            return c
        c += 1
    return c


def shift():
    for n, m in [(1, 1), (3, 3), (4, 7), (5, 5), (10, 10), (15, 9), (20, 20)]:
        for kind, confidence in itertools.product(KINDS, ["0.9", "0.95", "0.99"]):
            a, b = sample(n, kind, 1), sample(m, kind)
            differences = sorted(x - y for x in a for y in b)
            c = outside(n, m, (1 - Fraction(confidence)) / 2)
            low, high = (differences[c - 1], differences[-c]) if c else (None, None)
            effect = float(np.median(differences))
            yield {"current": a, "base": b, "confidence": float(confidence), "effect": effect, "low": low, "high": high}


def means():
    for n, m in [(2, 2), (3, 5), (10, 10), (40, 7), (300, 500)]:
        for kind, shift in itertools.product(["normal", "ties", "tail"], [0, 1]):
            a, b = sample(n, kind, shift), sample(m, kind)
            if np.var(a) + np.var(b) > 0:
                welch, student = (stats.ttest_ind(a, b, equal_var=equal).pvalue for equal in [False, True])
                yield {"a": a, "b": b, "welch": float(welch), "student": float(student)}


print(f"scipy {scipy.__version__}, numpy {np.__version__}")
for topic in [order, tails, intervals, mann_whitney, multiple, shift, means]:
    write(topic.__name__, list(topic()))
