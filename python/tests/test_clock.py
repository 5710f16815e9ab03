"""Clocks of a GPU, on a stream whose host and device times are counted."""

import pytest

from autobench import _clock

LAUNCHING = 20e-6
"""Seconds of the host to launch a kernel."""

RUNNING = 2e-6
"""Seconds of the device to run it."""


ROOM = 1024
"""Kernels that are launched and have not ended, at most."""


class Stream:
    """A GPU that runs what was launched in order, beside a host that launches."""

    def __init__(self):
        self.host = self.device = 0.0
        self.queue = []
        """When the launched kernels end that have not ended."""

    def launch(self, seconds=RUNNING):
        self.host += LAUNCHING
        if len(self.queue) == ROOM:
            self.host = max(self.host, self.queue[0])
        self.device = max(self.device, self.host) + seconds
        self.queue = [end for end in [*self.queue, self.device] if end > self.host]

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
        event=dict,
        record=stream.record,
        wait=stream.synchronise,
        passed=lambda event: event["at"] <= stream.host,
        milliseconds=lambda begin, end: (end["at"] - begin["at"]) * 1e3,
        synchronise=stream.synchronise,
    )


def seconds(clock, stream, runs, kernels=1):
    """The seconds of a run that launches so many kernels."""

    def runner(count):
        def run():
            for _ in range(count * kernels):
                stream.launch()

        return run

    return _clock.Timer(clock, runner).seconds(runs) / runs


def test_events_alone_measure_launches(stream):
    assert seconds(clock_of(stream), stream, 100) == pytest.approx(LAUNCHING, rel=0.01)


@pytest.mark.parametrize("kernels", [1, 2, 4, 6, 50])
@pytest.mark.parametrize("runs", [1, 100, 2000])
def test_a_device_that_is_held_back_runs_without_gaps(stream, runs, kernels):
    held = clock_of(stream).hold_with(stream.spin)
    assert seconds(held, stream, runs, kernels) == pytest.approx(kernels * RUNNING, rel=0.01)


def test_a_run_that_waits_for_the_device_is_timed_alone(stream):
    held = clock_of(stream).hold_with(stream.spin)

    def runner(count):
        def run():
            for _ in range(count):
                stream.launch()
                stream.synchronise()

        return run

    assert _clock.Timer(held, runner).seconds(100) / 100 == pytest.approx(RUNNING, rel=0.01)


def test_no_device_is_held_back_for_long(stream):
    held = clock_of(stream).hold_with(stream.spin)
    held.seconds(lambda: None, launching=3600)
    assert stream.device < 1
