"""Clocks of a GPU, on a stream whose host and device times are counted."""

import pytest

from autobench import _clock

LAUNCHING = 20e-6
"""Seconds of the host to launch a kernel."""

RUNNING = 2e-6
"""Seconds of the device to run it."""


class Stream:
    """A GPU that runs what was launched in order, beside a host that launches."""

    def __init__(self):
        self.host = self.device = 0.0

    def launch(self, seconds=RUNNING):
        self.host += LAUNCHING
        self.device = max(self.device, self.host) + seconds

    def spin(self, cycles):
        self.launch(cycles * 1e-9)

    def record(self, event):
        event["at"] = self.device = max(self.device, self.host)

    def synchronise(self, *_):
        self.host = max(self.host, self.device)


@pytest.fixture
def stream(monkeypatch):
    stream = Stream()
    monkeypatch.setattr(_clock, "perf_counter", lambda: stream.host)
    return stream


def clock_of(stream):
    return _clock.EventClock(
        dict,
        stream.record,
        stream.synchronise,
        lambda begin, end: (end["at"] - begin["at"]) * 1e3,
        stream.synchronise,
    )


def seconds(clock, stream, runs):
    """Times runs as a guest does."""

    def run():
        for _ in range(runs):
            stream.launch()

    launching = clock.launching(stream.launch)
    stream.synchronise()
    return clock.seconds(run, runs * launching)


def test_events_alone_measure_launches(stream):
    assert seconds(clock_of(stream), stream, 100) == pytest.approx(100 * LAUNCHING, rel=0.01)


def test_a_device_that_is_held_back_runs_without_gaps(stream):
    held = clock_of(stream).hold_with(stream.spin)
    assert seconds(held, stream, 100) == pytest.approx(100 * RUNNING, rel=0.01)


def test_no_device_is_held_back_for_long(stream):
    held = clock_of(stream).hold_with(stream.spin)
    held.seconds(lambda: None, launching=3600)
    assert stream.device < 1
