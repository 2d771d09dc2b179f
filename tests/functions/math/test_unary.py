"""Functions that map each element of one floating-point array."""
import importlib

import numpy as np
import pytest
import scipy.special

from chainer_fast import functions as F
from chainer_fast import gradient_check
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare

# name: (module, class, label, low, high, values by an independent route)
FUNCTIONS = {
    'absolute': ('basic_math', 'Absolute', '|_|', .1, 2, lambda x: np.sqrt(x * x)),
    'exp': ('exponential', 'Exp', 'exp', -2, 2, lambda x: np.e ** x),
    'log': ('exponential', 'Log', 'log', .2, 3, lambda x: np.log2(x) * np.log(2.)),
    'log2': ('exponential', 'Log2', 'log2', .2, 3, lambda x: np.log(x) / np.log(2.)),
    'log10': ('exponential', 'Log10', 'log10', .2, 3,
              lambda x: np.log(x) / np.log(10.)),
    'expm1': ('exponential_m1', 'Expm1', 'expm1', -1, 1, lambda x: np.exp(x) - 1),
    'log1p': ('logarithm_1p', 'Log1p', 'log1p', -.5, 2, lambda x: np.log(x + 1)),
    'sqrt': ('sqrt', 'Sqrt', 'sqrt', .2, 3, lambda x: x ** .5),
    'rsqrt': (None, None, None, .2, 3, lambda x: x ** -.5),
    'square': ('square', 'Square', 'square', -2, 2, lambda x: x * x),
    'sin': ('trigonometric', 'Sin', 'sin', -3, 3, lambda x: np.exp(1j * x).imag),
    'cos': ('trigonometric', 'Cos', 'cos', -3, 3, lambda x: np.exp(1j * x).real),
    'tan': ('trigonometric', 'Tan', 'tan', -1, 1, lambda x: np.sin(x) / np.cos(x)),
    'arcsin': ('trigonometric', 'Arcsin', 'arcsin', -.8, .8,
               lambda x: np.arctan2(x, np.sqrt(1 - x * x))),
    'arccos': ('trigonometric', 'Arccos', 'arccos', -.8, .8,
               lambda x: np.pi / 2 - np.arcsin(x)),
    'arctan': ('trigonometric', 'Arctan', 'arctan', -2, 2,
               lambda x: np.arctan2(x, np.ones_like(x))),
    'cosh': ('hyperbolic', 'Cosh', 'cosh', -2, 2,
             lambda x: (np.exp(x) + np.exp(-x)) / 2),
    'sinh': ('hyperbolic', 'Sinh', 'sinh', -2, 2,
             lambda x: (np.exp(x) - np.exp(-x)) / 2),
    'arctanh': ('arctanh', 'Arctanh', 'Arctanh', -.8, .8,
                lambda x: np.log((1 + x) / (1 - x)) / 2),
    'erf': ('erf', 'Erf', 'erf', -2, 2, lambda x: 1 - scipy.special.erfc(x)),
    'erfc': ('erfc', 'Erfc', 'erfc', -2, 2, lambda x: 1 - scipy.special.erf(x)),
    'erfcx': ('erfcx', 'Erfcx', 'erfcx', -1, 2,
              lambda x: np.exp(x * x) * scipy.special.erfc(x)),
    'erfinv': ('erfinv', 'ErfInv', 'erfinv', -.8, .8,
               lambda x: scipy.special.ndtri((x + 1) / 2) / np.sqrt(2.)),
    'erfcinv': ('erfcinv', 'ErfcInv', 'erfcinv', .2, 1.8,
                lambda x: -scipy.special.ndtri(x / 2) / np.sqrt(2.)),
    'ndtr': ('ndtr', 'Ndtr', 'ndtr', -2, 2,
             lambda x: scipy.special.erfc(-x / np.sqrt(2.)) / 2),
    'ndtri': ('ndtri', 'Ndtri', 'ndtri', .1, .9,
              lambda x: scipy.special.erfinv(2 * x - 1) * np.sqrt(2.)),
    'log_ndtr': ('log_ndtr', 'LogNdtr', 'log_ndtr', -3, 1,
                 lambda x: np.log(scipy.special.ndtr(x))),
    'lgamma': ('lgamma', 'LGamma', 'lgamma', 1.5, 4,
               lambda x: np.log(scipy.special.gamma(x))),
    'digamma': ('digamma', 'DiGamma', 'digamma', 1.5, 4, scipy.special.psi),
}
TOLERANCE = {'e': 5e-3, 'f': 1e-5, 'd': 1e-10}

each_function = pytest.mark.parametrize('name', FUNCTIONS)


def uniform(low, high, shape, dtype='d'):
    return np.asarray(np.random.RandomState(3).uniform(low, high, shape), dtype)


def draw(name, shape, dtype='d'):
    return uniform(*FUNCTIONS[name][3:5], shape, dtype)


@each_function
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(3, 2), (), (0, 3)])
def test_values_and_dtypes(device, name, shape, dtype):
    x = draw(name, shape, dtype)
    y = getattr(F, name)(device.send(x))
    assert isinstance(y.array, device.xp.ndarray)
    assert (y.shape, y.dtype) == (shape, np.dtype(dtype))
    tolerance = TOLERANCE[dtype]
    compare.assert_allclose(
        y.array, FUNCTIONS[name][5](x.astype('d')), tolerance, tolerance)


@each_function
@pytest.mark.parametrize('shape', [(3, 2), (), (0, 3)])
def test_gradients(device, name, shape):
    x = device.send(draw(name, shape))
    gy = device.send(uniform(-1, 1, shape))
    ggx = uniform(.5, 1, shape)
    function = getattr(F, name)
    gradient_check.check_backward(function, x, gy, rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        function, x, gy, device.send(ggx), rtol=1e-3, atol=1e-3)


@each_function
@pytest.mark.parametrize('dtype', 'ef')
@pytest.mark.parametrize('shape', [(3, 2), ()])
def test_gradients_keep_the_dtype(device, name, shape, dtype):
    x = Variable(device.send(draw(name, shape, dtype)))
    y = getattr(F, name)(x)
    y.grad = np.ones_like(y.array)
    y.backward(enable_double_backprop=True)
    assert x.grad.dtype == dtype
    assert isinstance(x.grad, device.xp.ndarray)
    gx = x.grad_var * x
    x.cleargrad()
    gx.grad = np.ones_like(gx.array)
    gx.backward()
    assert x.grad.dtype == dtype


@each_function
def test_strided_input(device, name):
    x = draw(name, (4, 6), 'f')
    strided = x.T[::2, ::-1]
    copy = np.ascontiguousarray(strided)
    function = getattr(F, name)
    compare.assert_allclose(
        function(device.send(strided)).array, function(device.send(copy)).array,
        rtol=1e-6)


@each_function
def test_integers_are_refused(device, name):
    with pytest.raises(type_check.InvalidType):
        getattr(F, name)(device.send(np.array([1, 2])))


@pytest.mark.parametrize('name', [n for n in FUNCTIONS if FUNCTIONS[n][0]])
def test_class_and_label(device, name):
    module, cls, label = FUNCTIONS[name][:3]
    module = importlib.import_module('chainer_fast.functions.math.' + module)
    creator = getattr(F, name)(Variable(device.send(draw(name, (2,))))).creator
    assert type(creator) is getattr(module, cls)
    assert creator.label == label


@pytest.mark.parametrize('name', ['floor', 'ceil', 'fix', 'sign'])
@pytest.mark.parametrize('dtype', 'efdi')
@pytest.mark.parametrize('shape', [(3, 2), ()])
def test_piecewise_constant_functions_leave_the_graph(device, name, shape, dtype):
    x = Variable(device.send(uniform(-3, 3, shape, dtype)), requires_grad=dtype != 'i')
    y = getattr(F, name)(x)
    assert y.creator is None
    assert not y.requires_grad
    assert y.dtype == dtype
    assert isinstance(y.array, device.xp.ndarray)
    # NumPy has come to call it otherwise.
    expected = getattr(np, {'fix': 'trunc'}.get(name, name))
    compare.assert_array_equal(y.array, expected(x.array))


def test_derivative_at_the_kink_is_zero(device):
    x = Variable(device.send(np.array([-2., 0., 3.], 'f')))
    y = F.sum(abs(x))
    y.backward()
    compare.assert_array_equal(x.grad, [-1, 0, 1])


def test_log_ndtr_far_in_the_tail(device):
    x = Variable(device.send(np.array(-100.)))
    y = F.log_ndtr(x)
    y.backward()
    compare.assert_allclose(y.array, scipy.special.log_ndtr(-100.))
    compare.assert_allclose(x.grad, 100.01, rtol=1e-5)


@pytest.mark.parametrize('layout', [
    lambda x: x, np.asfortranarray, lambda x: np.repeat(x, 2, 1)[:, ::2]])
@pytest.mark.parametrize('dtype', 'efd')
def test_gradients_of_erf_in_one_loop(dtype, layout):
    random = np.random.RandomState(0)
    x, gy = [layout(random.uniform(-3, 3, (30, 40)).astype(dtype)) for _ in range(2)]
    found = []
    for double_backprop in (False, True):
        variable = Variable(x)
        y = F.erf(variable)
        y.grad = gy
        y.backward(enable_double_backprop=double_backprop)
        found.append(variable.grad)
    assert found[0].dtype == dtype
    if dtype == 'e':
        np.testing.assert_allclose(*found, 3e-3, 1e-6)
    else:
        np.testing.assert_array_equal(*found)


def test_that_gradients_of_erf_warn_as_those_of_its_parts():
    x = Variable(np.array([0, 1, 5], 'f'))
    y = F.erf(x)
    y.grad = np.array([3.3e38, 1, 3.3e38], 'f')
    with pytest.warns(RuntimeWarning, match='overflow'):
        y.backward()
    assert x.grad[0] == np.inf and 0 < x.grad[1] < 1
