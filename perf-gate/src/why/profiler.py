"""Profiles a Python program from its start, or pytest's tests, and writes the profile as JSON."""

import atexit
import cProfile
import contextlib
import json
import os
import time

# CPU time: on a busy machine, other processes' time slices are longer than most functions.
_profile = cProfile.Profile(time.thread_time_ns, 1e-9)


def _lines(code):
    lines = [line for _, _, line in code.co_lines() if line] if hasattr(code, "co_lines") else []
    return code.co_firstlineno, max(lines, default=code.co_firstlineno)


def _key(code):
    return code if isinstance(code, str) else id(code)


def _written(folder):
    _profile.disable()
    entries = _profile.getstats()
    places = {_key(entry.code): at for at, entry in enumerate(entries)}
    functions = []
    for entry in entries:
        code = entry.code
        is_native = isinstance(code, str)
        first, last = (0, 0) if is_native else _lines(code)
        functions.append(
            {
                "name": code if is_native else getattr(code, "co_qualname", code.co_name),
                "file": "" if is_native else code.co_filename,
                "first": first,
                "last": last,
                "calls": entry.callcount,
                "own": entry.inlinetime,
                "inclusive": entry.totaltime,
                "callees": [
                    [places[_key(call.code)], call.callcount, call.totaltime]
                    for call in entry.calls or ()
                    if _key(call.code) in places
                ],
            }
        )
    if functions:
        path = os.path.join(folder, f"{os.getpid()}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(functions, file)


def pytest_configure(config):
    """Leaves out pytest's startup, and prevents pytest-benchmark from disabling the profiler."""
    _profile.disable()
    _profile.clear()
    try:
        import pytest_benchmark.fixture as fixture
    except ImportError:
        return
    if hasattr(fixture, "PauseInstrumentation"):
        fixture.PauseInstrumentation = contextlib.nullcontext


def pytest_fixture_setup(fixturedef, request):
    _profile.disable()


def pytest_pyfunc_call(pyfuncitem):
    _profile.enable()


def pytest_runtest_teardown(item, nextitem):
    _profile.disable()


_folder = os.environ.get("PERF_GATE_PROFILE")
if _folder:
    atexit.register(_written, _folder)
    _profile.enable()
