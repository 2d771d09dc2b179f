import math

import numpy
import pytest

import chainer_fast.functions as F
from chainer_fast.onnx.export import export
from tests.onnx.exported import Model, check

RANDOM = numpy.random.RandomState(0)


def floats(*shape, low=-1, high=1, dtype=numpy.float32):
    return RANDOM.uniform(low, high, shape).astype(dtype)


# Values away from zero: there NumPy's functions have jumps.
X = (floats(2, 3, low=0.1, high=0.9) * [[1], [-1]]).astype(numpy.float32)
POSITIVE = abs(X)

UNARY = {
    'absolute': (lambda x: abs(x), 7),
    'add constant': (lambda x: x + 1.5, 7),
    'add one array': (F.add, 7),
    'arccos': (F.arccos, 7),
    'arcsin': (F.arcsin, 7),
    'arctan': (F.arctan, 7),
    'arctanh': (F.arctanh, 9),
    'clip': (lambda x: F.clip(x, -0.5, 0.5), 7),
    'clip above': (lambda x: F.clip(x, None, 0.5), 7),
    'clip below': (lambda x: F.clip(x, -0.5, None), 7),
    'cos': (F.cos, 7),
    'cosh': (F.cosh, 9),
    'divide by constant': (lambda x: x / 3, 7),
    'divide constant': (lambda x: 3 / x, 7),
    'erf': (F.erf, 9),
    'erfc': (F.erfc, 9),
    'exp': (F.exp, 7),
    'expm1': (F.expm1, 7),
    'identity': (F.identity, 7),
    'multiply constant': (lambda x: x * 1.5, 7),
    'ndtr': (F.ndtr, 9),
    'neg': (lambda x: -x, 7),
    'power of constant': (lambda x: 2.5 ** x, 7),
    'sin': (F.sin, 7),
    'sinh': (F.sinh, 9),
    'square': (F.square, 7),
    'square by power': (lambda x: x ** 2, 7),
    'subtract constant': (lambda x: x - 1.5, 7),
    'subtract from constant': (lambda x: 1.5 - x, 7),
    'tan': (F.tan, 7),
}

OF_POSITIVE = {
    'log': F.log, 'log10': F.log10, 'log1p': F.log1p, 'log2': F.log2,
    'power': lambda x: x ** 2.5, 'rsqrt': F.rsqrt, 'sqrt': F.sqrt}


@pytest.mark.parametrize('name', UNARY)
def test_of_one_array(name):
    function, first = UNARY[name]
    check(function, [X], first)


@pytest.mark.parametrize('name', OF_POSITIVE)
def test_of_positive_numbers(name):
    check(OF_POSITIVE[name], [POSITIVE])


@pytest.mark.parametrize('dtype, tolerance', [('float16', 3e-3), ('float64', 1e-6)])
@pytest.mark.parametrize('name', [
    'absolute', 'add constant', 'clip', 'erfc', 'expm1', 'ndtr', 'square by power'])
def test_dtypes(name, dtype, tolerance):
    check(UNARY[name][0], [X.astype(dtype)], tolerance=tolerance, opsets=[9, 13, 22])


def test_integers():
    x, y = numpy.arange(6).reshape(2, 3), numpy.arange(3)
    check(lambda x, y: x + 2 - (y - -x), [x, y])


@pytest.mark.parametrize('name, first', [
    ('floor', 7), ('ceil', 7), ('sign', 9), ('fix', 9)])
def test_functions_that_leave_the_graph(name, first):
    x = numpy.float32([[-2.5, -1, -.3], [0, .7, 3.2]])
    function = getattr(F, name)
    check(lambda x: function(x) + x, [x], first)
    if first > 7:
        with pytest.raises(RuntimeError, match='does not support %s' % name):
            export(Model(lambda self, x: function(x)), [x], opset_version=7)
    made = export(Model(lambda self, x: function(numpy.float32([1.5])) + x), [x])
    assert len(made.graph.initializer) == 1


def test_division_that_rounds_down():
    x = numpy.float32([[-2.5, -1, -.3], [0, .7, 3.2]])
    check(lambda x: x // 2, [x])
    check(lambda x, y: x // y, [x, x + 7])
    check(lambda x: 7 // x, [x + 9])


# --------------------------------------------------------------------- several arrays

BINARY = {
    'add': lambda x, y: x + y,
    'divide': lambda x, y: x / y,
    'multiply': lambda x, y: x * y,
    'power': lambda x, y: x ** y,
    'subtract': lambda x, y: x - y,
}


@pytest.mark.parametrize('name', BINARY)
def test_of_two_arrays(name):
    for y in (floats(2, 3), floats(3), floats(2, 1)):
        check(BINARY[name], [POSITIVE, y + 2])


@pytest.mark.parametrize('function', [F.maximum, F.minimum])
def test_extrema_of_two_arrays(function):
    check(function, [X, X[::-1].copy()])
    check(function, [X, floats(3)], first=8)


def test_fmod():
    x = numpy.float32([[-5.5, 5.5, 7], [-7, 3, 2]])
    check(F.fmod, [x, numpy.float32([[3, -3, 2.5], [2.5, 4, 2]])], first=10)


def test_arctan2():
    turns = numpy.linspace(0, 2 * math.pi, 16, dtype=numpy.float32)
    y, x = numpy.sin(turns), numpy.cos(turns)
    y[:4], x[:4] = [0, 1, 0, -1], [0, 0, -1, 0]
    check(F.arctan2, [y, x], first=9)


def test_sums_of_many_arrays():
    check(F.add, [X, floats(3), floats(2, 1)])


def test_linear_interpolate():
    check(F.linear_interpolate, [POSITIVE, X, X + 1])


# ------------------------------------------------------------------------- reductions

@pytest.mark.parametrize('name', ['sum', 'mean', 'max', 'min', 'prod'])
@pytest.mark.parametrize('kwargs', [
    {}, {'axis': 1}, {'axis': -1, 'keepdims': True}, {'axis': (0, 2)},
    {'keepdims': True}])
def test_reductions(name, kwargs):
    check(lambda x: getattr(F, name)(x, **kwargs), [floats(2, 3, 4)])


def test_sum_over_no_axes():
    check(lambda x: F.sum(x, axis=()), [X])


@pytest.mark.parametrize('axis', [None, 1, (0, 2)])
def test_logsumexp(axis):
    check(lambda x: F.logsumexp(x, axis), [floats(2, 3, 4)])


@pytest.mark.parametrize('function', [F.argmax, F.argmin])
@pytest.mark.parametrize('axis', [None, 0, -1])
def test_places(function, axis):
    check(lambda x: function(x, axis), [floats(2, 3, 4)])


@pytest.mark.parametrize('axis', [None, 0, -1])
def test_cumulative(axis):
    x = floats(2, 3, 4)
    check(lambda x: F.cumsum(x, axis), [x], first=11)
    check(lambda x: F.cumprod(x, axis), [x], first=9)


def test_average_with_weights():
    weights = floats(3, low=0.1)
    check(lambda x: F.average(x, axis=1, weights=weights), [floats(2, 3, 4)], first=8)


def test_batch_l2_norm_squared():
    check(F.batch_l2_norm_squared, [floats(2, 3, 4)])


def test_broadcast_to():
    check(lambda x: F.broadcast_to(x, (4, 2, 3)), [X], first=8)


@pytest.mark.parametrize('function', [F.scale, F.bias])
def test_of_channels(function):
    check(lambda x, y: function(x, y), [floats(2, 3, 4), floats(3)], first=8)


# --------------------------------------------------------------------------- matrices

@pytest.mark.parametrize('a, b, transa, transb', [
    ((2, 3), (3, 4), False, False), ((3, 2), (4, 3), True, True), ((3,), (3,), 1, 1),
    ((3,), (3, 4), False, False), ((5, 3, 2), (5, 3, 4), True, False),
    ((5, 2, 3), (4, 3), False, True), ((2, 1, 2, 3), (5, 3, 4), False, False)])
def test_matmul(a, b, transa, transb):
    check(lambda x, y: F.matmul(x, y, bool(transa), bool(transb)),
          [floats(*a), floats(*b)])


@pytest.mark.filterwarnings('ignore:batch_matmul is deprecated')
@pytest.mark.parametrize('a, b, transa, transb', [
    ((2, 3), (2, 3, 4), True, False), ((2, 4, 3), (2, 3), False, False),
    ((2, 3, 4), (2, 5, 3), True, True)])
def test_batch_matmul(a, b, transa, transb):
    check(lambda x, y: F.batch_matmul(x, y, transa, transb), [floats(*a), floats(*b)])


@pytest.mark.parametrize('equation, shapes, first', [
    ('ij,jk->ik', [(2, 3), (3, 4)], 7),
    ('bij,bkj->bik', [(5, 2, 3), (5, 4, 3)], 7),
    ('ij,ij->j', [(2, 3), (2, 3)], 7),
    ('i,j->ji', [(2,), (3,)], 7),
    ('bhqd,bhkd->bhqk', [(2, 3, 4, 5), (2, 3, 2, 5)], 7),
    ('ijk->ki', [(2, 3, 4)], 7),
    ('ij->ij', [(2, 3)], 7),
    ('ij,jk', [(2, 3), (3, 4)], 7),
    ('ijm,j->im', [(2, 3, 4), (3,)], 7),
    ('ii->i', [(3, 3)], 12),
    ('...ij,...jk->...ik', [(2, 2, 3), (2, 3, 4)], 12),
    ('ij,jk,kl->il', [(2, 3), (3, 4), (4, 2)], 12)])
def test_einsum(equation, shapes, first):
    check(lambda *xs: F.einsum(equation, *xs), [floats(*shape) for shape in shapes],
          first)


@pytest.mark.parametrize('a, b, axes', [
    ((2, 3, 4), (3, 4, 5), 2), ((2, 3), (4, 5), 0),
    ((2, 3, 4), (4, 5, 2), ((0, 2), (2, 0))),
    ((3, 4), (4, 3), ((1, 0), (0, 1)))])
def test_tensordot(a, b, axes):
    check(lambda x, y: F.tensordot(x, y, axes), [floats(*a), floats(*b)])


def test_det():
    check(F.det, [floats(3, 3)], first=11)
    check(F.batch_det, [floats(4, 3, 3)], first=11)


@pytest.mark.parametrize('function, x', [
    (F.inv, numpy.eye(3)), (F.erfinv, X), (F.erfcinv, POSITIVE), (F.erfcx, X),
    (F.cholesky, numpy.eye(3)), (F.lgamma, POSITIVE), (F.digamma, POSITIVE),
    (F.ndtri, POSITIVE), (F.log_ndtr, X)])
def test_what_cannot_be_exported(function, x):
    with pytest.raises(ValueError, match='cannot be exported: ONNX has no'):
        export(Model(lambda self, x: function(x)), [x.astype(numpy.float32)])
