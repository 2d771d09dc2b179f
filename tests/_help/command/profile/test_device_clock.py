"""Phases of a profile on a GPU, measured by events."""
import json
import time

import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast._help.command.profile import device_clock, report, trace
from chainer_fast.backends import cuda
from tests._help.command.profile.taken import taken

pytestmark = pytest.mark.gpu


def train(model, n_steps=3):
    x = model.xp.ones((4, 3), 'f')
    optimizer = chainer.optimizers.SGD().setup(model)
    for _ in range(n_steps):
        loss = F.sum(model(x) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()


@pytest.fixture
def model():
    model = L.Linear(3, 2)
    model.to_device('@cupy:0')
    return model


def test_table(model):
    with taken() as found:
        train(model)
        time.sleep(.05)
        model(model.xp.ones((4, 3), 'f'))
    for phase in 'forward', 'backward', 'update':
        assert found.phases[phase].device > 0
    # It includes the time that the device waits for the host.
    assert found.phases[None].device > 4e7
    text = report.text(found.profile)
    assert 'GPU s' in text
    line, = [line for line in text.splitlines() if line.startswith('backward ')]
    assert float(line.split()[-1]) == pytest.approx(
        found.phases['backward'].device / 1e9, abs=.001)


def test_processor_alone():
    with taken() as found:
        train(L.Linear(3, 2))
    assert found.profile.threads[0].spans.clock is None
    assert 'GPU' not in report.text(found.profile)


def test_trace(model, tmp_path):
    with taken(traced=True) as found:
        train(model, 2)
    trace.write(found.profile, tmp_path / 'trace.json')
    events = json.loads((tmp_path / 'trace.json').read_text())['traceEvents']
    row, = {event['tid'] for event in events if event['ph'] == 'M'
            and event['args']['name'].startswith('GPU 0')}
    names = [event['name'] for event in events
             if event['ph'] == 'X' and event['tid'] == row]
    assert names.count('backward') == 2
    ends = [event['ts'] + event['dur'] for event in events if event['ph'] == 'X']
    assert max(ends) <= found.profile.elapsed / 1e3 + 1


def test_host_waits_only_for_what_is_read(model, monkeypatch):
    waits = []
    synchronize = cuda.Event.synchronize
    monkeypatch.setattr(cuda.Event, 'synchronize', lambda event: (
        waits.append(event), synchronize(event)))
    with taken() as found:
        train(model)
        assert len(waits) == 1
    assert len(waits) > 9
    assert found.profile.threads[0].spans.clock.spans == []


def test_events_are_read_in_between(model, monkeypatch):
    monkeypatch.setattr(device_clock, '_MOST_PENDING', 4)
    with taken() as found:
        train(model, 20)
        assert len(found.profile.threads[0].spans.clock._pending) < 4
    whole = sum(row.device for row in found.phases.values())
    assert 0 < whole <= found.profile.elapsed + 1e6


def test_what_is_captured_is_not_measured(model, monkeypatch):
    clock = device_clock.DeviceClock(False)
    monkeypatch.setattr(cuda.Stream, 'is_capturing', lambda stream: True)
    clock.mark('forward')
    assert not clock._pending
    with taken() as found:
        train(model)
    assert found.profile.threads[0].spans.clock is None
