"""The extensions that change a hyperparameter over time."""
import types

import numpy
import pytest

from chainer_fast.training import extensions
from tests.training import stubs


def drive(extension, n, value=2.):
    """Return the values of a hyperparameter before and after each of n calls."""
    optimizer = types.SimpleNamespace(x=value)
    trainer = stubs.Observation()
    trainer.updater.optimizers = {'main': optimizer}
    extension.initialize(trainer)
    seen = [optimizer.x]
    for _ in range(n):
        extension(trainer)
        seen.append(optimizer.x)
    return seen


CASES = {
    'exponential': (lambda **k: extensions.ExponentialShift('x', .5, **k),
                    [2., 1., .5, .25]),
    'rising exponential': (
        lambda **k: extensions.ExponentialShift('x', 2., target=5., **k),
        [2., 4., 5., 5.]),
    'negative exponential': (
        lambda **k: extensions.ExponentialShift('x', 2., init=-1., target=-3., **k),
        [-1., -2., -3., -3.]),
    'falling to a target': (
        lambda **k: extensions.ExponentialShift('x', .5, target=.7, **k),
        [2., 1., .7, .7]),
    'rising from zero': (
        lambda **k: extensions.ExponentialShift('x', .5, init=0., target=1., **k),
        [0., 1., 1.]),
    'towards no number': (
        lambda **k: extensions.ExponentialShift('x', .5, target=numpy.nan, **k),
        [2., 1., .5]),
    'rising towards no number': (
        lambda **k: extensions.ExponentialShift('x', 2., target=numpy.nan, **k),
        [2., 4., 8.]),
    'towards zero': (
        lambda **k: extensions.ExponentialShift('x', .5, target=0., **k), [2., 1., .5]),
    'inverse': (lambda **k: extensions.InverseShift('x', .5, 2., **k),
                [2., 2 / 1.5 ** 2, .5, 2 / 2.5 ** 2]),
    'inverse with target': (
        lambda **k: extensions.InverseShift('x', 1., -1., 3., 8., **k), [3., 6., 8.]),
    'linear': (lambda **k: extensions.LinearShift('x', (1., 2.), (2, 5), **k),
               [1., 1., 1., 1 + 1 / 3, 1 + 2 / 3, 2., 2.]),
    'linear fall': (lambda **k: extensions.LinearShift('x', (2, 1), (2, 2), **k),
                    [2, 2, 2, 1, 1]),
    'polynomial': (lambda **k: extensions.PolynomialShift('x', 2, 4, **k),
                   [2., 2 * .75 ** 2, .5, .125, 0., 0.]),
    'polynomial with target': (
        lambda **k: extensions.PolynomialShift('x', 1, 4, target=1.2, **k),
        [2., 1.5, 1.2, 1.2, 1.2, 1.2]),
    'growing polynomial': (
        lambda **k: extensions.PolynomialShift('x', -1, 4, target=5., **k),
        [2., 2 / .75, 4., 5., 5., 5.]),
    'linear since before the first call': (
        lambda **k: extensions.LinearShift('x', (4., 0.), (-2, 2), **k),
        [2., 1., 0., 0.]),
    'step of a fraction': (
        lambda **k: extensions.StepShift('x', .5, .1, **k), [2., 2**-9, 2**-19, 2**-29]
    ),
    'step': (lambda **k: extensions.StepShift('x', .5, 2, **k), [2., 2., 1., 1., .5]),
    'step with target': (
        lambda **k: extensions.StepShift('x', .5, 1, target=.7, **k), [2., 1., .7]),
    'multistep': (lambda **k: extensions.MultistepShift('x', .5, [1, 3], 4., **k),
                  [4., 2., 2., 1., 1.]),
    'multistep at once': (
        lambda **k: extensions.MultistepShift('x', .5, [1, 1], None, **k),
        [2., 1., .5, .5]),
    'warmup': (lambda **k: extensions.WarmupShift('x', .1, 2, 1., **k), [.1, .55, 1.]),
    'warmup from the value': (
        lambda **k: extensions.WarmupShift('x', None, 2, 1., **k), [2., 1.5, 1.]),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def test_values(case):
    make, expected = case
    values = drive(make(), len(expected) - 1)
    assert values == pytest.approx(expected, rel=1e-14, abs=0)


def test_resumed_schedule_goes_on(case):
    make, expected = case
    for stop in range(1, len(expected)):
        first = make()
        drive(first, stop)
        second = stubs.load(make(), stubs.save(first))
        rest = len(expected) - 1 - stop
        assert drive(second, rest) == pytest.approx(expected[stop:], rel=1e-14, abs=0)


def test_optimizer_may_be_given(case):
    make, expected = case
    optimizer = types.SimpleNamespace(x=2.)
    assert drive(make(optimizer=optimizer), 1, 'untouched') == ['untouched'] * 2
    assert optimizer.x == pytest.approx(expected[1])


def test_warmup_of_no_number_of_iterations():
    assert drive(extensions.WarmupShift('x', .1, numpy.nan, 1.), 2) == [.1, .1, .1]


def test_warmup_leaves_the_value_alone_afterwards():
    extension = extensions.WarmupShift('x', .1, 1, 1.)
    drive(extension, 3)
    resumed = stubs.load(extensions.WarmupShift('x', .1, 1, 1.), stubs.save(extension))
    assert drive(resumed, 2, 7.) == [7., 7., 7.]


@pytest.mark.parametrize('make', [
    lambda init: extensions.ExponentialShift('x', .5, init),
    lambda init: extensions.InverseShift('x', .5, 1., init),
    lambda init: extensions.PolynomialShift('x', .5, 9, init),
    lambda init: extensions.StepShift('x', .5, 1, init),
    lambda init: extensions.MultistepShift('x', .5, [1], init)])
def test_values_are_of_python(make):
    """numpy.float64 would turn float32 arrays into float64."""
    assert type(drive(make(numpy.float64(3)), 1)[1]) is float


@pytest.mark.parametrize('make', [
    lambda first: extensions.LinearShift('x', (first, 1), (0, 5)),
    lambda first: extensions.WarmupShift('x', first, 5, 1.),
    lambda first: extensions.WarmupShift('x', 2., 5, first - 1),
    lambda first: extensions.ExponentialShift('x', .5, first)])
def test_arguments_of_numpy_do_not_cost_precision(make):
    values = drive(make(numpy.float32(2)), 3)
    assert values == drive(make(2.), 3)
    assert {type(value) for value in values} == {float}


@pytest.mark.parametrize('make, growing, initial', [
    (lambda **k: extensions.ExponentialShift('x', .5, **k), False, False),
    (lambda **k: extensions.ExponentialShift('x', 1, **k), False, False),
    (lambda **k: extensions.ExponentialShift('x', 2, **k), True, False),
    (lambda **k: extensions.InverseShift('x', .5, 2, **k), False, False),
    (lambda **k: extensions.InverseShift('x', .5, -.5, **k), True, False),
    (lambda **k: extensions.StepShift('x', .5, 1, **k), False, False),
    (lambda **k: extensions.StepShift('x', 1.5, 1, **k), True, False),
    (lambda **k: extensions.PolynomialShift('x', .5, 5, **k), False, True),
    (lambda **k: extensions.PolynomialShift('x', 0, 5, **k), True, True),
    (lambda **k: extensions.PolynomialShift('x', -.5, 5, **k), True, True)])
def test_target_of_the_other_sign(make, growing, initial):
    # Seen from zero, in the direction of the target or of the initial value.
    for target in (.1, 3.):
        for sign in (1, -1):
            limited, = drive(make(init=sign * 2., target=-sign * target), 1)[1:]
            free, = drive(make(init=sign * 2.), 1)[1:]
            assert limited == (
                -sign * target if growing == initial else free)


def test_hook_for_the_value():
    class Rounded(extensions.ExponentialShift):
        def _update_value(self, optimizer, value):
            super()._update_value(optimizer, round(value, 1))

    assert drive(Rounded('x', .3), 2, 1.) == [1., .3, .1]


def test_names_in_snapshots():
    def names(extension):
        return sorted(stubs.save(extension))

    assert names(extensions.ExponentialShift('x', .5)) == ['_last_value', '_t']
    assert names(extensions.LinearShift('x', (1, 2), (3, 4))) == ['_last_value', '_t']
    assert names(extensions.MultistepShift('x', .5, [1], 1.)) == ['_current_step', '_t']
    assert names(extensions.WarmupShift('x', .1, 2, 1.)) == ['_t']


def test_negative_arguments():
    with pytest.raises(ValueError, match='-0.5'):
        extensions.ExponentialShift('x', -.5)
    with pytest.raises(ValueError, match='-0.5'):
        extensions.InverseShift('x', -.5, 1.)


@pytest.mark.parametrize('value_range', [(), (1.,), (1., 2., 3.)])
def test_a_linear_shift_has_two_ends(value_range):
    with pytest.raises(ValueError, match='value_range must be a pair'):
        extensions.LinearShift('x', value_range, (1, 2))
