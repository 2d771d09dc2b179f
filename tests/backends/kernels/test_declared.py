"""Each declared kernel beside its reference, for all that its signature allows."""
import numpy as np
import pytest

from benchmarks.functions import declared as calls
from chainer_fast import configuration
from chainer_fast._core.graphs import graph
from chainer_fast.backends.kernels import reduction, softmax
from chainer_fast.backends.kernels.arithmetic import special
from chainer_fast.backends.kernels.common import halves
from chainer_fast.backends.kernels.declared import (
    Declared,
    adapter,
    declared,
    signatures,
)
from tests.backends.kernels import declared_cases as cases


def statistics_backward(gamma, inv_std, inv_var, ggamma, gbeta):
    return -gamma * inv_std * gbeta, ggamma * gamma * inv_var * gamma.dtype.type(-.5)


def logsumexp_grad(x, y, g, axis):
    y, g = (np.expand_dims(each, axis) for each in (y, g))
    return softmax.logsumexp_grad.reference(x, y, g)


def product_grad(x, g, axis):
    return reduction.product_grad.reference(x, np.expand_dims(g, axis), axis)


def selected_grad(x, y, g, axis):
    y, g = (np.expand_dims(each, axis) for each in (y, g))
    return reduction.selected_grad.reference(x, y, g)


def positions(x, axis, of_smallest):
    return reduction.positions.reference(x, axis, of_smallest).astype(x.dtype)


@halves.in_single
def scaled_difference(x, y, g, number):
    return (x - y) * g * x.dtype.type(number)


@halves.in_single
def scaled_sign(x, g, slope):
    return g * (np.sign(x) * x.dtype.type(slope))


REFERENCES = {'scaled_difference': scaled_difference, 'scaled_sign': scaled_sign,
              'scaled_row_difference': lambda x, y, g, number: scaled_difference(
                  x, y, g[:, None], number),
              'sum_of_losses': np.sum, 'statistics_backward': statistics_backward,
              'running_sum': reduction.running_sum.reference,
              'polygamma': lambda x, n: special.polygamma.reference(x, np.array(n)),
              'logsumexp': lambda x, axis: softmax.logsumexp.reference(
                  x, axis).squeeze(axis),
              'logsumexp_grad': logsumexp_grad,
              'running_product': reduction.running_product.reference,
              'running_product_grad': reduction.running_product_grad.reference,
              'product_grad': product_grad,
              'positions': positions, 'selected_grad': selected_grad,
              **cases.references()}
NAMES = sorted(adapter.KERNELS)
#: Kernels that add up in another order than NumPy, or in doubles.
CLOSE = {'polygamma', 'length', 'length_grad', 'product_grad', 'moments',
         'batch_apply', 'batch_forward', 'batch_backward', 'response_forward',
         'response_backward', 'inverses'}


def call(function, signature, arrays, numbers):
    return function(*calls.in_order(signature, arrays, numbers))


def dtypes_of(signature):
    return 'efd' if signature.inputs[0].type == 'E' else 'fd'


def layouts_of(signature, arrays, layout):
    """Return the arrays of floats in some layout."""
    return [layout(array) if each.type in 'FE' else array
            for each, array in zip(signature.inputs, arrays, strict=True)]


def assert_same(found, expected, close=False):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, close)
        return
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if close:
        tolerance = {'e': 2e-3, 'f': 5e-5, 'd': 1e-12}[expected.dtype.char]
        np.testing.assert_allclose(found, expected, tolerance, tolerance)
    else:
        np.testing.assert_array_equal(found, expected)


def strides_of(result):
    """Return how far apart elements along each axis with several are, of each array."""
    if isinstance(result, tuple):
        return [strides_of(each) for each in result]
    return [abs(stride) for stride, length in zip(
        result.strides, result.shape, strict=True) if length != 1]


def is_whole(signature):
    """Whether a result is of all rows, so that the loop reads arrays as they are."""
    return any(signature.inputs[0].shapes[0][0] not in each.shapes[0]
               for each in signature.outputs)


def may_decline(signature, layout, dtype):
    """Whether a kernel may leave arrays of a layout to its reference."""
    if layout in cases.UNREAD:
        return True
    if layout in cases.READ or is_whole(signature):
        return False
    symbols = signature.inputs[0].shapes[0]
    if len(symbols) == 3 and any(
            symbols[1] not in shape for each in (*signature.inputs, *signature.outputs)
            for shape in each.shapes):
        return True     # What has the axes around the middle alone is in C order.
    # Halves are read in C order; so are images, but for those with the channels last.
    return dtype == 'e' or len(signature.inputs[0].shapes[0]) != 3 or (
        signature.axis is not None)


@pytest.mark.parametrize('size', calls.SIZES)
@pytest.mark.parametrize('name', NAMES)
def test_reference(name, size):
    kernel, reference = declared(name), REFERENCES[name]
    signature = kernel.signature
    for dtype in dtypes_of(signature):
        for shapes in calls.shapes_of(signature, size):
            plain = calls.arrays_of(kernel, shapes, dtype)
            for numbers in calls.numbers_of(signature, size):
                for layout in cases.LAYOUTS:
                    arrays = layouts_of(
                        signature, plain, cases.LAYOUTS[layout])
                    found = call(kernel, signature, arrays, numbers)
                    expected = call(reference, signature, arrays, numbers)
                    if found is NotImplemented:
                        assert may_decline(signature, layout, dtype)
                        continue
                    assert_same(found, expected, name in CLOSE)
                    if not is_whole(signature) and layout != 'broadcast rows':
                        assert strides_of(found) == strides_of(expected)


@pytest.mark.parametrize('name', NAMES)
def test_threads(name):
    kernel = declared(name)
    signature = kernel.signature
    for dtype in dtypes_of(signature):
        for shapes in calls.shapes_of(signature, 'large'):
            arrays = calls.arrays_of(kernel, shapes, dtype)
            numbers, *_ = calls.numbers_of(signature, 'large')
            for layout in (cases.gaps, np.copy):
                arrays = layouts_of(signature, arrays, layout)
                with configuration.using_config('num_threads', 1):
                    one = call(kernel, signature, arrays, numbers)
                with configuration.using_config('num_threads', 2):
                    two = call(kernel, signature, arrays, numbers)
                assert_same(two, one)


@pytest.mark.parametrize('name', NAMES)
def test_declines(name):
    """Other shapes, types and objects, none of which a loop may read."""
    kernel = declared(name)
    signature = kernel.signature
    for shapes in calls.shapes_of(signature, 'small'):
        plain = calls.arrays_of(kernel, shapes, 'f')
        numbers, *_ = calls.numbers_of(signature, 'small')
        for i, array in enumerate(plain):
            one_more = np.concatenate([array, array]) if array.ndim else (
                np.zeros(3, array.dtype))
            others = [array.astype('q' if array.dtype.kind == 'f' else 'f'),
                      array.astype('u4'), array.astype('c16'), array.tolist(), None,
                      array.view(np.recarray)]
            # An array that no other has to be like may have any shape.
            if i or signature.inputs[0].shapes[0] in [
                    shape for each in signature.inputs[1:] for shape in each.shapes]:
                others += [one_more, array[..., None, None]]
            for other in others:
                arrays = [*plain[:i], other, *plain[i + 1:]]
                assert call(
                    kernel, signature, arrays, numbers) is NotImplemented, other
        empty = [array[:0] if array.ndim else array for array in plain]
        assert call(kernel, signature, empty, numbers) is NotImplemented


@pytest.mark.parametrize('name', [
    name for name in NAMES if declared(name).signature.numbers])
def test_declines_numbers(name):
    kernel = declared(name)
    signature = kernel.signature
    shapes, *_ = calls.shapes_of(signature, 'small')
    arrays = calls.arrays_of(kernel, shapes, 'f')
    numbers, *_ = calls.numbers_of(signature, 'small')
    others = {
        'c': [None, '1', np.zeros(3), 10 ** 400, 1j], 'i': [None, 1.5, 2 ** 40],
        'b': [],
        'none': [0, False], 'axis': [None, 7, -5, 1., True, (0,)],
        'axes': [1, (7,), (0, 0), (1.,)], 'others': [None, 1, (7,), (0, 0), (1,)]}
    for i, number in enumerate(signature.numbers):
        refused = list(others[number.type])
        if number.least is not None:
            refused += [number.least - 1, np.nan, *[number.least] * number.over]
        for other in refused:
            assert call(kernel, signature, arrays, [
                *numbers[:i], other, *numbers[i + 1:]]) is NotImplemented, other


def test_numbers_are_attributes():
    shortcuts = {
        cls: graph.registered(cls)[0] for cls in graph.classes_with_shortcuts()}
    for cls, shortcut in shortcuts.items():
        if isinstance(shortcut, Declared):
            names = {each.name for each in shortcut.kernel.signature.numbers}
            assert names <= vars(cls()).keys(), cls


def test_flags():
    """Whatever NumPy would warn of is left to the reference."""
    x = np.full((2, 3), 3e38, 'f')
    assert declared('huber_grad')(x, -x, x, 1.) is NotImplemented
    x = np.full((2, 3), 6e4, 'e')
    assert declared('huber_grad')(x, -x, x, 2.) is NotImplemented


def test_classes_out_of_range():
    x = np.zeros((2, 3), 'f')
    for label in (-1, 3):
        assert declared('hinge_losses')(
            x, np.array([0, label]), False) is NotImplemented


def test_number_of_arguments():
    with pytest.raises(TypeError, match='huber_losses takes 3 arguments, got 1'):
        declared('huber_losses')(np.zeros(3, 'f'))


@pytest.mark.parametrize('text, message', [
    ('x:G(*) -> y:F(*)', 'neither an array nor a number'),
    ('x:F(*) -> y:F(m)', 'other symbols than the first array'),
    ('x:F(*,n) -> y:F(*,2m)', 'other symbols than the first array'),
    ('x:F(*)|E(*) -> y:F(*)', 'several types'),
])
def test_signature_errors(text, message):
    with pytest.raises(ValueError, match=message):
        signatures.read(text)


@pytest.mark.parametrize('order', [(0, 2, 3, 1), (3, 2, 1, 0), (2, 0, 1, 3)])
def test_axes_in_another_order(order):
    """Axes around the one in the middle are read as they lie in memory."""
    rng = np.random.RandomState(0)
    images = rng.uniform(-1, 1, (4, 3, 5, 6)).astype('f')
    x = np.ascontiguousarray(images.transpose(order)).transpose(np.argsort(order))
    y = declared('softmax')(x, 1)
    assert_same(y, declared('softmax')(images, 1), close=True)
    assert y.strides == x.strides
    gamma, beta = rng.uniform(1, 2, (2, 3)).astype('f')
    results = declared('batch_forward')(x, gamma, beta, (0, 2, 3), 1e-5)
    assert_same(results, declared('batch_forward')(
        images, gamma, beta, (0, 2, 3), 1e-5), close=True)
    assert results[0].strides == x.strides
    # A gradient in C order is copied to that of the images.
    arguments = gamma, images, results[1], results[3], (0, 2, 3), False
    grads = declared('batch_backward')(x, *arguments)
    assert_same(grads, declared('batch_backward')(images, *arguments), close=True)
    assert grads[0].strides == x.strides
