import io

import numpy as np
import pytest

from chainer_fast import Chain, Sequential
from chainer_fast import links as L
from chainer_fast.link_hooks import TimerHook
from tests import compare


def make_model():
    return Sequential(L.Linear(2, 3), L.Linear(3, 4))


def test_nested_calls():
    hook, model = TimerHook(), make_model()
    assert hook.name == 'TimerHook'
    assert hook.total_time() == 0 and hook.summary() == {}
    with hook:
        for _ in range(2):
            model(np.ones((1, 2), 'f'))
    names, times = zip(*hook.call_history, strict=True)
    assert names == ('Linear', 'Linear', 'Sequential') * 2
    assert 0 < times[0] + times[1] < times[2]
    compare.assert_allclose(hook.total_time(), times[2] + times[5])
    summary = hook.summary()
    assert set(summary) == {'Linear', 'Sequential'}
    assert summary['Linear']['occurrence'] == 4
    compare.assert_allclose(
        summary['Sequential']['elapsed_time'], times[2] + times[5])


def test_hook_of_one_link():
    hook, model = TimerHook(), make_model()
    model[0].add_hook(hook)
    model(np.ones((1, 2), 'f'))
    assert [name for name, _ in hook.call_history] == ['Linear']


@pytest.mark.parametrize('unit, linear, model', [
    ('auto', '1.50sec', '0.00sec'), ('auto_foreach', '1.50sec', '2.50ms'),
    ('sec', '1.50sec', '0.00sec'), ('ms', '1500.00ms', '2.50ms'),
    ('us', '1500000.00us', '2500.00us'), ('ns', '1500000000.00ns', '2500000.00ns')])
def test_report(unit, linear, model):
    hook = TimerHook()
    hook.call_history = [('Linear', 1.), ('Model', .0025), ('Linear', .5)]
    file = io.StringIO()
    hook.print_report(unit, file)
    lines = file.getvalue().splitlines()
    assert [line.split() for line in lines] == [
        ['LinkName', 'ElapsedTime', 'Occurrence'], ['Linear', linear, '2'],
        ['Model', model, '1']]
    assert len({len(line) for line in lines}) == 1


def test_wrong_unit():
    hook = TimerHook()
    hook.call_history = [('Linear', 1.)]
    with pytest.raises(KeyError):
        hook.print_report('h')


def test_what_fails_does_not_count():
    class Failing(Chain):
        def forward(self):
            raise ZeroDivisionError

    hook = TimerHook()
    with hook:
        with pytest.raises(ZeroDivisionError):
            Failing()()
        make_model()(np.ones((1, 2), 'f'))
    assert [name for name, _ in hook.call_history][-1] == 'Sequential'
    compare.assert_allclose(hook.total_time(), hook.call_history[-1][1])
