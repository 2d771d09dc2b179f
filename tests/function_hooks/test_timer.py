"""The hook that measures time, and its table."""
import io

import numpy as np
import pytest

from chainer_fast import FunctionNode, Variable, function_hooks, link_hooks
from chainer_fast.function_hooks import _timing, timer


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only in ``Work``."""
    class Clock:
        now = 100.

    monkeypatch.setattr(_timing, '_get_time', lambda: Clock.now)
    return Clock


class Work(FunctionNode):
    """Takes a second forward and two backward, one of them in a function."""

    def __init__(self, clock):
        self.clock = clock

    def forward(self, inputs):
        self.clock.now += 1
        return inputs[0] + 0,

    def backward(self, indexes, grad_outputs):
        self.clock.now += 1
        return Inner(self.clock).apply(grad_outputs)


class Inner(Work):
    label = 'label is not the name'


@pytest.fixture
def hook(clock):
    with function_hooks.TimerHook() as hook:
        x = Variable(np.ones(2))
        y, = Work(clock).apply((x,))
        y.grad = np.ones(2)
        y.backward()
    return hook


def test_times(hook):
    assert hook.name == 'TimerHook'
    assert hook.call_history == [('Work', 1.), ('Inner', 1.), ('Work', 2.)]
    assert hook.total_time() == 3.
    assert hook.summary() == {
        'Work': {'elapsed_time': 3., 'occurrence': 2},
        'Inner': {'elapsed_time': 1., 'occurrence': 1}}


def report(hook, *unit):
    out = io.StringIO()
    hook.print_report(*unit, file=out)
    return out.getvalue()


@pytest.mark.parametrize('unit, times', [
    ((), ['2.00sec', '0.01sec', '0.00sec']),
    (('auto',), ['2.00sec', '0.01sec', '0.00sec']),
    (('auto_foreach',), ['2.00sec', '12.34ms', '100.00ns']),
    (('ms',), ['2000.00ms', '12.34ms', '0.00ms']),
    (('us',), ['2000000.00us', '12340.00us', '0.10us']),
])
def test_units(unit, times):
    hook = function_hooks.TimerHook()
    hook.call_history = [('A', 1.5), ('B', 0.01234), ('A', 0.5), ('C', 1e-7)]
    lines = report(hook, *unit).splitlines()
    assert [line.split() for line in lines] == [
        ['FunctionName', 'ElapsedTime', 'Occurrence'],
        ['A', times[0], '2'], ['B', times[1], '1'], ['C', times[2], '1']]


def test_layout():
    hook = function_hooks.TimerHook()
    hook.call_history = [('ALongNameOfAFunction', 0.5), ('B', 0.25)]
    assert report(hook) == (
        '        FunctionName  ElapsedTime  Occurrence\n'
        'ALongNameOfAFunction     500.00ms           1\n'
        '                   B     250.00ms           1\n')


def test_unknown_unit():
    hook = function_hooks.TimerHook()
    hook.call_history = [('A', 1.)]
    with pytest.raises(KeyError):
        report(hook, 'fortnight')


def test_nothing_measured():
    hook = function_hooks.TimerHook()
    assert hook.total_time() == 0
    assert hook.summary() == {}
    assert report(hook).split() == ['FunctionName', 'ElapsedTime', 'Occurrence']


@pytest.mark.parametrize('seconds, unit', [
    (100, 'sec'), (1, 'sec'), (0.999, 'ms'), (1e-3, 'ms'), (5e-4, 'us'), (1e-6, 'us'),
    (1e-7, 'ns'), (1e-12, 'ns'), (0, 'ns')])
def test_choice_of_units(seconds, unit):
    assert function_hooks.TimerHook()._choose_unit(seconds) == (
        function_hooks.TimerHook.table[unit], unit)


def test_real_time(device):
    class Plain(FunctionNode):
        def forward(self, inputs):
            return inputs[0] + 0,

    with function_hooks.TimerHook() as hook:
        Plain().apply(device.send((np.ones(2),)))
    assert 0 < hook.total_time() < 10


def test_gpu(monkeypatch):
    """On a GPU the times are those between events, which are in milliseconds."""
    class Event:
        count = 0

        def record(self):
            Event.count += 1
            self.time = 1000 * Event.count
            self.done = False

        def synchronize(self):
            self.done = True

    class FakeCupy:
        class cuda:
            @staticmethod
            def get_elapsed_time(start, stop):
                assert stop.done
                return stop.time - start.time

    monkeypatch.setattr(_timing.cuda, 'Event', Event)
    monkeypatch.setattr(_timing.cuda, 'cupy', FakeCupy)
    monkeypatch.setattr(timer.backend, 'get_array_module', lambda *args: FakeCupy)
    hook = function_hooks.TimerHook()
    f = FunctionNode()
    hook.forward_preprocess(f, (None,))
    hook.forward_postprocess(f, (None,))
    hook.backward_preprocess(f, (None,), (None,))
    hook.backward_postprocess(f, (None,), (None,))
    assert hook.call_history == [('FunctionNode', 1.), ('FunctionNode', 1.)]
    assert hook.total_time() == 2


@pytest.mark.gpu
def test_the_host_waits_when_times_are_read(monkeypatch):
    x = Variable(_timing.cuda.to_gpu(np.ones(2)))
    waits = []
    synchronize = _timing.cuda.Event.synchronize
    monkeypatch.setattr(
        _timing.cuda.Event, 'synchronize',
        lambda event: waits.append(event) or synchronize(event))
    with function_hooks.TimerHook() as hook:
        y = x * x
        y.grad = x.array
        y.backward()
    assert not waits
    assert 'Mul' in hook.summary()
    assert all(0 <= seconds < 10 for _, seconds in hook.call_history)
    assert hook.total_time() <= sum(seconds for _, seconds in hook.call_history)
    assert waits


@pytest.mark.gpu
def test_events_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(_timing, '_MOST_PENDING', 3)
    x = Variable(_timing.cuda.to_gpu(np.ones(2)))
    with function_hooks.TimerHook() as hook:
        for _ in range(8):
            x = x + x
            assert len(hook._pending) < 3
    assert len(hook.call_history) == 8
    assert None not in [seconds for _, seconds in hook.call_history]


@pytest.mark.parametrize('make', [
    function_hooks.TimerHook, link_hooks.TimerHook])
def test_the_history_is_an_attribute_of_the_hook(make):
    hook = make()
    assert vars(hook)['call_history'] is hook.call_history
    del hook.call_history
    assert not hasattr(hook, 'call_history') and 'call_history' not in vars(hook)
    with pytest.raises(AttributeError):
        del hook.call_history
    hook.call_history = []
    assert hook.call_history == []
