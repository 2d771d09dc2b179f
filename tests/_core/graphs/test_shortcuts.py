"""Shortcuts against the methods of the functions that they stand in for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast
import chainer_fast.functions as F
from chainer_fast._core.graphs import graph
from chainer_fast.functions.activation import (
    clipped_relu,
    elu,
    hard_sigmoid,
    sigmoid,
    softplus,
    tanh,
)
from chainer_fast.functions.connection import convolution_2d, deconvolution_2d
from chainer_fast.functions.loss import softmax_cross_entropy
from chainer_fast.functions.math import clip, exponential
from chainer_fast.links.loss import hierarchical_softmax
from tests import forced
from tests._core import foreign, shortcut_cases
from tests._core.shortcut_cases import Kind
from tests.ways import (
    General,
    called_methods,
    differentiate,
    outcome,
    same_bits,
    same_but_rounding,
)

X = np.eye(3, dtype=np.float32)
NUMPY_1 = np.lib.NumpyVersion(np.__version__) < '2.0.0'
CASES = shortcut_cases.CASES
each_class = pytest.mark.parametrize('cls', CASES, ids=lambda cls: cls.__name__)


def test_every_shortcut_is_tried_here():
    declared = {cls for cls in graph.classes_with_shortcuts()
                if cls.__module__.startswith('chainer_fast.')}
    assert {*CASES, *shortcut_cases.ELSEWHERE} == declared
    assert not CASES.keys() & shortcut_cases.ELSEWHERE


# Kernels that may round otherwise than the methods, and how many products of inputs
# their results are sums of. The cross entropy takes one exponential where the method
# takes two; gradients of a bias are summed up in another order.
ROUNDING = {
    softmax_cross_entropy.SoftmaxCrossEntropy: 0,
    convolution_2d.Convolution2DFunction: 200,
    deconvolution_2d.Deconvolution2DFunction: 200,
}
# NumPy's functions give other bits for some strides than for others.
ROUNDING.update({
    cls: 0 for cls in shortcut_cases.ELEMENTWISE if cls.__module__.endswith(
        ('.trigonometric', '.hyperbolic', '.exponential_m1', '.logarithm_1p'))})
if forced.GENERAL:
    ROUNDING.update(dict.fromkeys([
        elu.ELU, exponential.Exp, sigmoid.Sigmoid, softplus.Softplus, tanh.Tanh], 0))

# Methods that combine arrays and numbers: where no array has dimensions, NumPy 1 rounds
# but the result to the dtype, which a kernel computes in.
COMBINING = {
    tanh.Tanh, tanh.TanhGrad, sigmoid.Sigmoid, sigmoid.SigmoidGrad,
    hard_sigmoid.HardSigmoid, elu.ELU, softplus.Softplus, clip.Clip}
# What clips minus zero at zero: NumPy 1 makes it plus zero in float32 and float64.
CLIPPING = {clipped_relu.ClippedReLU, clip.Clip}


def without_signs_of_zeros(array):
    return array if array is None else np.add(array, 0, out=array.copy())


#: Of numbers that are too large for a half, which is rounded last.
CAST = 'RuntimeWarning', 'overflow encountered in cast'


def in_float32(array):
    return array.astype('f') if array.dtype == 'e' else array


def check_halves(result, expected, wide, arrays):
    """Compare what was computed in float32, and rounded, with the methods' results.

    ``expected`` are those of halves, which are rounded after each operation, and
    ``wide`` those of floats of the same values. Each number is near one or the other.
    """
    if isinstance(expected[0], type) or isinstance(wide[0], type):
        return      # an intermediate result, or that of floats, is an error by itself
    assert not isinstance(result[0], type), result
    finite = [abs(x[np.isfinite(x)]).max(initial=1.) for x in arrays
              if x.dtype.kind == 'f']
    for a, b, c in zip(result, expected, wide, strict=True):
        assert (a is None) == (b is None)
        if a is None:
            continue
        assert a.dtype == b.dtype and a.shape == b.shape, (a, b)
        with np.errstate(all='ignore'):
            a, b, c = [np.asarray(x, 'd') for x in (a, b, c)]
            near = np.isnan(a) & (np.isnan(b) | np.isnan(c))
            for x in (b, c, np.asarray(c, 'e').astype('d')):
                step = 2e-3 * (abs(x) + max(finite))
                near |= (a == x) | (abs(a - x) <= step)
        assert near.all(), (a, b, c)


@each_class
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_kernel_and_methods_agree(cls, data):
    kind = data.draw(st.sampled_from([Kind.PLAIN, Kind.PLAIN, Kind.WILD]))
    make, arrays = data.draw(CASES[cls](kind))
    required = [x.dtype.kind == 'f' and data.draw(st.integers(0, 3)) > 0
                for x in arrays]
    reaction = data.draw(st.sampled_from(['warn', 'raise', 'ignore']))
    errors = {'over': reaction, 'invalid': reaction, 'divide': reaction,
              'under': 'ignore'}
    # Seeds are drawn now: the shape of the output is not known yet.
    gy = data.draw(shortcut_cases.arrays((40,), 'd', Kind.PLAIN))
    layout = 'C'
    if kind is Kind.WILD:
        layout = data.draw(st.sampled_from(shortcut_cases.LAYOUTS))

    def gy_of(y):
        with np.errstate(all='ignore'):
            values = np.resize(gy, y.shape).astype(y.dtype)
        return shortcut_cases.laid_out(values, layout)

    copies = [x.copy() for x in arrays]
    result, caught = outcome(errors, make, arrays, required, gy_of)
    with General():
        expected, expected_warnings = outcome(errors, make, arrays, required, gy_of)
    if any([x.dtype == 'e' for x in arrays]):
        with General():
            wide, wide_warnings = outcome(
                errors, make, [in_float32(x) for x in arrays], required, gy_of)
        check_halves(result, expected, wide, arrays)
        assert set(caught) <= {*expected_warnings, *wide_warnings, CAST}, caught
        for x, copy in zip(arrays, copies, strict=True):
            assert same_bits(np.asarray(x), np.asarray(copy))
        return
    assert caught == expected_warnings
    if isinstance(expected[0], type):
        assert result == expected
        return
    assert len(result) == len(expected)
    if NUMPY_1 and cls in COMBINING and not any(x.ndim for x in arrays):
        # What a kernel has computed is as the methods have it for one dimension.
        with General():
            rounded, _ = outcome(
                errors, make, [x.reshape(1) for x in arrays], required, gy_of)
        expected = [b if same_bits(a, b) or c is None else c.reshape(())
                    for a, b, c in zip(result, expected, rounded, strict=True)]
    for a, b in zip(result, expected, strict=True):
        if NUMPY_1 and cls in CLIPPING:
            a, b = without_signs_of_zeros(a), without_signs_of_zeros(b)
        if cls in ROUNDING:
            finite = [x[np.isfinite(x)] for x in (*arrays[:2], gy)]
            largest = float(max([abs(x).max(initial=1.) for x in finite]))
            largest += ROUNDING[cls] * min(largest, 1e150) ** 2
            assert same_but_rounding(a, b, largest), (a, b)
        else:
            assert same_bits(a, b), (a, b)
    for x, copy in zip(arrays, copies, strict=True):
        assert same_bits(np.asarray(x), np.asarray(copy))


def test_rows_with_gaps_warn_as_often_as_the_methods():
    # The methods have seen the inputs: they do the backward pass from its start.
    x, t = np.array([[3], [-np.inf], [1]], 'f'), np.array([4, 0, 3], 'i')
    W = np.ones((4, 2), 'f')[:, :1]

    def make():
        function = hierarchical_softmax.BinaryHierarchicalSoftmaxFunction(
            ((0, 1), ((2, 3), 4)), 'f')
        function.node._own_function()
        return function.node

    args = {'invalid': 'warn'}, make, [x, t, W], [True, False, True], np.ones_like
    found, caught = outcome(*args)
    with General():
        _, expected = outcome(*args)
    assert len(found) == 4 and caught == expected and len(caught) > 1, found


@each_class
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_plain_arrays_take_the_kernel(cls, data):
    make, arrays = data.draw(CASES[cls](Kind.TAME))
    arrays = shortcut_cases.within_domain(cls, arrays)
    with called_methods(cls) as called:
        result = differentiate(
            make, arrays, [x.dtype.kind == 'f' for x in arrays], np.ones_like)
    if not (forced.GENERAL and cls.__name__ == 'Dropout'):
        assert not called
    with called_methods(cls) as called, General():
        differentiate(make, arrays, [x.dtype.kind == 'f' for x in arrays], np.ones_like)
    assert called == {'forward', 'backward'}
    assert all(type(a) is np.ndarray for a in result if a is not None)


@each_class
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_arrays_of_any_origin_take_the_kernel(cls, data):
    """Types of arrays are compared by what they are, not by who they are."""
    make, arrays = data.draw(CASES[cls](Kind.TAME))
    arrays = shortcut_cases.within_domain(cls, arrays)
    origins = st.sampled_from(sorted(foreign.NATIVE))
    moved = [foreign.NATIVE[data.draw(origins)](x) for x in arrays]
    origin = foreign.NATIVE[data.draw(origins)]
    required = [x.dtype.kind == 'f' for x in arrays]
    expected = differentiate(make, arrays, required, np.ones_like)
    with called_methods(cls) as called:
        result = differentiate(
            make, moved, required, lambda y: origin(np.ones_like(y)))
    if not (forced.GENERAL and cls.__name__ == 'Dropout'):
        assert not called
    for a, b in zip(result, expected, strict=True):
        assert (a is b is None) or cls.__name__ == 'Dropout' or same_bits(a, b)


@each_class
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_fields_are_attributes(cls, data):
    """What a record names is there once a function has been applied."""
    shortcut, _ = graph.registered(cls)
    make, arrays = data.draw(CASES[cls](Kind.TAME))
    function = make()
    with np.errstate(all='ignore'):
        y = function.apply(tuple([
            chainer_fast.Variable(x, requires_grad=x.dtype.kind == 'f')
            for x in arrays]))[0]
        y.grad = np.ones_like(y.array)
        y.backward()
    assert y.creator_node is None or y.creator_node is function
    assert set(shortcut.fields or ()) <= vars(function).keys()


@pytest.mark.parametrize('code', 'ilq')
@pytest.mark.parametrize('compute', [
    lambda t: F.softmax_cross_entropy(chainer_fast.Variable(X), t),
    lambda t: F.embed_id(t, chainer_fast.Variable(X))],
    ids=['softmax_cross_entropy', 'embed_id'])
def test_labels_of_each_type_of_c_take_the_kernel(code, compute):
    """Two of the types have one size; which of them is int32 depends on the system."""
    t = np.array([0, 2, 1], code)
    cls = type(compute(t).creator)
    with called_methods(cls) as called:
        F.sum(compute(t)).backward()
    assert not called
