import types

import numpy
import pytest

from chainer_fast import gradient_check
from chainer_fast.gradient_check import _numerical_grad
from tests import compare


def grad_of(f, x, gy=None, **options):
    """Return the gradient of the only output with regard to the only input."""
    x = numpy.array(x, options.pop('dtype', 'd'))
    gy = numpy.ones_like(f(x)) if gy is None else gy
    gx, = gradient_check.numerical_grad(lambda: (f(x),), (x,), (gy,), **options)
    return gx


@pytest.mark.parametrize('eps', [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize('shape', [(), (2,), (2, 0), (2, 3)])
def test_elementwise(eps, shape):
    x = numpy.random.uniform(-1, 1, shape)
    gy = numpy.random.uniform(-1, 1, shape)
    gx = grad_of(numpy.sin, x, gy, eps=eps)
    assert gx.shape == shape
    compare.assert_allclose(gx, numpy.cos(x) * gy, atol=eps)


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
def test_dtype(dtype):
    gx = grad_of(lambda x: x * x, [1, 2], dtype=dtype, eps=0.5)
    assert gx.dtype == dtype
    assert gx.tolist() == [2, 4]


def test_several_inputs_and_outputs():
    x, y = numpy.random.uniform(-1, 1, (2, 3))
    g1, g2 = numpy.random.uniform(-1, 1, (2, 3))
    original = x.copy()
    gx, gy = gradient_check.numerical_grad(
        lambda: (2 * x + 3 * y, x * y, None), (x, y), (g1, g2, None))
    compare.assert_allclose(gx, 2 * g1 + y * g2)
    compare.assert_allclose(gy, 3 * g1 + x * g2)
    compare.assert_array_equal(x, original)


def test_output_is_input():
    x = numpy.ones((2, 3))
    gx, = gradient_check.numerical_grad(lambda: (x,), (x,), (1,))
    compare.assert_allclose(gx, numpy.ones((2, 3)))


def test_constant_number():
    x = numpy.array(2.)
    gx, = gradient_check.numerical_grad(lambda: (1,), (x,), (numpy.array(3.),))
    assert gx == 0


def test_steps():
    x = numpy.array([1., 2.])
    seen = []

    def f():
        seen.append(x.tolist())
        return x * x,

    gradient_check.numerical_grad(f, (x,), (numpy.ones(2),), eps=0.5)
    assert seen == [[0.5, 2], [1.5, 2], [1, 1.5], [1, 2.5]]
    seen.clear()
    gradient_check.numerical_grad(
        f, (x,), (numpy.ones(2),), eps=0.5, detect_nondifferentiable=True)
    assert seen == [[1, 2]] + [
        [p, 2] for p in (0.5, 0.75, 1.25, 1.5)] + [
        [1, p] for p in (1.5, 1.75, 2.25, 2.5)]


def test_order_of_the_formulas():
    # Two points are exact for parabolas, five for polynomials of the fourth degree.
    assert grad_of(lambda x: x ** 2, 3, eps=0.5) == pytest.approx(6)
    assert grad_of(lambda x: x ** 3, 1, eps=0.5) == pytest.approx(3 + 0.25)
    assert grad_of(
        lambda x: x ** 4 - x ** 3, 1, eps=0.5, detect_nondifferentiable=True,
        diff_rtol=1) == pytest.approx(1)


@pytest.mark.parametrize('method', ['error', 'wrong'])
def test_input_is_restored(method):
    x = numpy.array([1., 2.])

    def f():
        if method == 'error':
            raise KeyError
        return x, x

    with pytest.raises((KeyError, AssertionError)):
        gradient_check.numerical_grad(f, (x,), (x,))
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize('eps', [0, -1])
def test_invalid_eps(eps):
    with pytest.raises(AssertionError, match='positive'):
        grad_of(numpy.sin, 1, eps=eps)


@pytest.mark.parametrize('f, gys', [
    (lambda x: x, (1,)), (lambda x: (x, x), (1,)), (lambda x: (x,), ()),
    (lambda x: (x,), (numpy.ones(3),)), (lambda x: (x,), (numpy.ones(1),))])
def test_mismatch_of_outputs(f, gys):
    x = numpy.ones(2)
    with pytest.raises(AssertionError):
        gradient_check.numerical_grad(lambda: f(x), (x,), gys)


def test_integer_input():
    with pytest.raises(RuntimeError, match='int'):
        gradient_check.numerical_grad(lambda: (1,), (numpy.array(1),), (1,))


def test_mixed_devices(monkeypatch):
    x = numpy.ones(2)
    monkeypatch.setattr(
        gradient_check.backend, 'get_array_module',
        lambda a: numpy if a is x else types.SimpleNamespace(__name__='cupy'))
    with pytest.raises(RuntimeError, match='cupy and numpy'):
        gradient_check.numerical_grad(lambda: (x,), (x,), (numpy.ones(2),))


# Detection of kinks and jumps
#

def is_smooth(f, x, **options):
    try:
        with numpy.errstate(all='ignore'):
            grad_of(f, x, detect_nondifferentiable=True, **options)
    except gradient_check.NondifferentiableError:
        return False
    return True


EPS = 1e-3


@pytest.mark.parametrize('f, x', [
    (numpy.zeros_like, 0.), (lambda x: 2 * x, [0., 100., -100.]),
    (lambda x: x * x, [0., 100.]), (numpy.exp, [0., 5.]),
    (abs, [1.2 * EPS, -1.2 * EPS]),
    (numpy.floor, [0.5, 1 + 1.2 * EPS]), (lambda x: x * numpy.nan, 1.),
    (numpy.log, -1.), (lambda x: x + 0.1 * 0 + 1e10, 0.),
    (lambda x: numpy.full_like(x, 1 / 3), 0.), (lambda x: x, numpy.zeros((0, 2))),
])
def test_smooth(f, x):
    assert is_smooth(f, x)


@pytest.mark.parametrize('f, x', [
    (abs, [[3., 1.], [0., 2.]]), (abs, 0.8 * EPS), (abs, -0.8 * EPS),
    (numpy.floor, 0.), (numpy.sign, 0.8 * EPS), (lambda x: x.clip(0, 1), [0.5, 1.]),
    (numpy.log, 0.), (lambda x: numpy.where(x > 0, numpy.nan, x), 0.),
    (lambda x: numpy.where(x == 0, numpy.inf, x), 0.), (numpy.tan, numpy.pi / 2),
])
def test_not_smooth(f, x):
    assert not is_smooth(f, x)


def test_infinite_outputs_are_passed_over_silently():
    with numpy.errstate(all='raise'):
        _numerical_grad._check_differentiable(
            [[numpy.array([numpy.inf, 1.])] * 5], 0, 1e-2, '')


def test_kink_of_any_output():
    x = numpy.array([0.1, 1.])
    for gys, smooth in (((1, None), True), ((1, 1), False)):
        def check(gys=gys):
            gradient_check.numerical_grad(
                lambda: (x, abs(x)), (x,), gys, eps=0.5, detect_nondifferentiable=True)
        if smooth:
            check()
        else:
            with pytest.raises(gradient_check.NondifferentiableError) as e:
                check()
            assert 'output 1:' in str(e.value)
            assert 'input 0: ' in str(e.value)
            assert 'index: (0,)' in str(e.value)


def test_tolerances_of_detection():
    # By hand: residuals of abs at 0 from the parabola through least squares.
    t = numpy.arange(-2, 3)
    y = abs(t) * 0.5
    residual = y - numpy.polyval(numpy.polyfit(t, y, 2), t)
    rms = numpy.sqrt((residual ** 2).mean())
    for options, smooth in [
            ({'diff_rtol': 0, 'diff_atol': rms * 1.01}, True),
            ({'diff_rtol': 0, 'diff_atol': rms * 0.99}, False),
            # Outputs are between 0 and 1.
            ({'diff_rtol': rms * 1.01}, True), ({'diff_rtol': rms * 0.99}, False)]:
        assert is_smooth(abs, 0., eps=1., **options) == smooth
