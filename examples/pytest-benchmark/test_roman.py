"""Benchmarks of conversions to and from Roman numerals."""

import pytest
from roman import from_roman, to_roman


@pytest.mark.parametrize("number", [9, 1888, 3999])
def test_to_roman(benchmark, number):
    benchmark.pedantic(to_roman, args=[number], rounds=20, iterations=2000, warmup_rounds=2)


def test_round_trip(benchmark):
    there_and_back = lambda: from_roman(to_roman(1888))
    assert benchmark.pedantic(there_and_back, rounds=20, iterations=1000, warmup_rounds=2) == 1888
