import numpy
import onnx
import pytest

import chainer_fast.functions as F
from chainer_fast import as_variable
from chainer_fast.onnx.export import export
from chainer_fast.onnx.functions import array
from chainer_fast.onnx.replace_func import as_funcnode
from tests.onnx.exported import Model, check

VECTOR = numpy.arange(3, dtype=numpy.float32) - 1
MATRIX = numpy.arange(6, dtype=numpy.float32).reshape(2, 3) - 2
CUBE = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
IMAGES = numpy.random.RandomState(0).randn(2, 4, 5, 6).astype(numpy.float32)
SQUARE = IMAGES[:, :, :4, :4]
ORDER = numpy.array([2, 0, 1], numpy.int32)

# The function, its arguments, and the first version of the operator set with a form.
CASES = {
    'broadcast': (lambda x, y: F.broadcast(x, y), [MATRIX[:1], MATRIX], 8),
    'cast': (lambda x: F.cast(x, 'float64'), [MATRIX], 7),
    'cast to int': (lambda x: F.cast(x, 'int32'), [MATRIX], 7),
    'cast to bool': (lambda x: F.cast(x, bool), [MATRIX], 7),
    'concat': (lambda *xs: F.concat(xs), [MATRIX, MATRIX[:, :2]], 7),
    'concat last': (lambda *xs: F.concat(xs, -1), [CUBE, CUBE[..., :1]], 7),
    'copy': (lambda x: F.copy(x, -1), [MATRIX], 7),
    'depth2space': (lambda x: F.depth2space(x, 2), [IMAGES], 7),
    'diagonal': (F.diagonal, [CUBE], 7),
    'diagonal above': (lambda x: F.diagonal(x, 1, 2, 0), [CUBE], 7),
    'diagonal below': (lambda x: F.diagonal(x, -1, -2, -1), [CUBE], 7),
    'dstack': (lambda *xs: F.dstack(xs), [CUBE, CUBE[..., :1]], 7),
    'dstack 0d': (lambda *xs: F.dstack(xs), [VECTOR[0:1].reshape(())] * 1, 7),
    'dstack 1d': (lambda *xs: F.dstack(xs), [VECTOR, VECTOR + 1], 7),
    'dstack 2d': (lambda *xs: F.dstack(xs), [MATRIX, MATRIX + 1], 7),
    'expand_dims': (lambda x: F.expand_dims(x, 1), [MATRIX], 7),
    'expand_dims last': (lambda x: F.expand_dims(x, -1), [MATRIX], 7),
    'flatten': (F.flatten, [MATRIX], 7),
    'flip': (lambda x: F.flip(x, -2), [CUBE], 7),
    'fliplr': (F.fliplr, [CUBE], 7),
    'flipud': (F.flipud, [CUBE], 7),
    'hstack': (lambda *xs: F.hstack(xs), [MATRIX, MATRIX[:, :2]], 7),
    'hstack 1d': (lambda *xs: F.hstack(xs), [VECTOR, VECTOR + 1], 7),
    'im2col': (lambda x: F.im2col(x, 3, pad=1), [IMAGES], 7),
    'im2col cover': (lambda x: F.im2col(
        x, (2, 3), (3, 2), (0, 1), cover_all=True), [IMAGES], 7),
    'im2col dilate': (lambda x: F.im2col(x, 2, dilate=(2, 1)), [IMAGES], 7),
    'moveaxis': (lambda x: F.moveaxis(x, 0, -1), [CUBE], 7),
    'moveaxis two': (lambda x: F.moveaxis(x, (0, -1), (1, 0)), [CUBE], 7),
    'pad': (lambda x: F.pad(x, ((0, 1), (2, 0)), 'constant'), [MATRIX], 7),
    'pad value': (lambda x: F.pad(x, 1, 'constant', constant_values=-1), [MATRIX], 7),
    'pad values': (lambda x: F.pad(
        x, (1, 2), 'constant', constant_values=((1, 2), (3, 4))), [MATRIX], 7),
    'pad edge': (lambda x: F.pad(x, (1, 2), 'edge'), [MATRIX], 7),
    'pad reflect': (lambda x: F.pad(x, ((1, 0), (2, 1)), 'reflect'), [MATRIX], 7),
    'pad reflect far': (lambda x: F.pad(x, 7, 'reflect'), [MATRIX], 7),
    'pad symmetric': (lambda x: F.pad(x, 4, 'symmetric'), [MATRIX], 7),
    'pad wrap': (lambda x: F.pad(x, ((0, 0), (1, 5)), 'wrap'), [MATRIX], 7),
    'pad nothing': (lambda x: F.pad(x, 0, 'wrap'), [MATRIX], 7),
    'pad_sequence': (lambda *xs: F.pad_sequence(xs, padding=-1),
                     [CUBE[0], CUBE[1, :1], CUBE[0, :2]], 7),
    'pad_sequence length': (lambda *xs: F.pad_sequence(xs, 4), [CUBE[0]], 7),
    'permutate': (lambda x: F.permutate(x, ORDER), [MATRIX.T], 7),
    'permutate inverse': (
        lambda x: F.permutate(x, ORDER, axis=-1, inv=True), [MATRIX], 7),
    'permutate input': (lambda x, i: F.permutate(x, i, 1), [MATRIX, ORDER], 7),
    'permutate input inverse': (
        lambda x, i: F.permutate(x, i, 1, inv=True), [MATRIX, ORDER], 9),
    'repeat': (lambda x: F.repeat(x, 2), [MATRIX], 7),
    'repeat axis': (lambda x: F.repeat(x, 2, -1), [MATRIX], 7),
    'repeat counts': (lambda x: F.repeat(x, (2, 0, 1), 1), [MATRIX], 7),
    'reshape': (lambda x: F.reshape(x, (3, -1)), [MATRIX], 7),
    'resize_images nearest': (
        lambda x: F.resize_images(x, (7, 4), mode='nearest'), [IMAGES], 7),
    'resize_images nearest half': (lambda x: F.resize_images(
        x, (7, 4), mode='nearest', align_corners=False), [IMAGES], 7),
    'rollaxis': (lambda x: F.rollaxis(x, 2), [CUBE], 7),
    'rollaxis start': (lambda x: F.rollaxis(x, 0, 3), [CUBE], 7),
    'rollaxis negative': (lambda x: F.rollaxis(x, -1, -2), [CUBE], 7),
    'scatter_add': (lambda a, b: F.scatter_add(a, (slice(None), [0, 2, 0]), b),
                    [MATRIX, MATRIX + 1], 16),
    'scatter_add twice': (
        lambda a, b: F.scatter_add(a, ([0, 0], [1, 1]), b), [CUBE, CUBE[0, :2]], 16),
    'select_item': (F.select_item, [
        numpy.float32([[1, numpy.inf], [numpy.nan, 2], [3, 4]]),
        numpy.int32([0, 1, 1])], 9),
    'separate': (lambda x: F.separate(x, -1), [CUBE], 7),
    'separate one': (lambda x: F.separate(x), [CUBE[:1]], 7),
    'space2depth': (lambda x: F.space2depth(x, 2), [SQUARE], 7),
    'spatial_transformer_grid': (
        lambda x: F.spatial_transformer_grid(x, (3, 4)), [CUBE.reshape(4, 2, 3)], 7),
    'split_axis': (lambda x: F.split_axis(x, 3, -2), [CUBE], 7),
    'split_axis uneven': (lambda x: F.split_axis(x, [1, 3], 2), [CUBE], 7),
    'split_axis array': (lambda x: F.split_axis(x, ORDER[2:], 2), [CUBE], 7),
    'split_axis one': (lambda x: F.split_axis(x, 1, 1), [CUBE], 7),
    'squeeze': (F.squeeze, [CUBE[:1, :, :1]], 7),
    'squeeze axes': (lambda x: F.squeeze(x, (-1, 0)), [CUBE[:1, :1, :1]], 7),
    'squeeze nothing': (F.squeeze, [CUBE], 7),
    'stack': (lambda *xs: F.stack(xs), [MATRIX, MATRIX + 1], 7),
    'stack last': (lambda *xs: F.stack(xs, -1), [MATRIX, MATRIX + 1], 7),
    'swapaxes': (lambda x: F.swapaxes(x, -1, 0), [CUBE], 7),
    'tile': (lambda x: F.tile(x, (1, 2)), [MATRIX], 7),
    'tile more': (lambda x: F.tile(x, (2, 1, 1, 3)), [MATRIX], 7),
    'tile last': (lambda x: F.tile(x, 2), [MATRIX], 7),
    'transpose': (F.transpose, [CUBE], 7),
    'transpose axes': (lambda x: F.transpose(x, (1, -1, 0)), [CUBE], 7),
    'transpose_sequence': (
        lambda *xs: F.transpose_sequence(xs), [MATRIX, MATRIX + 1], 7),
    'transpose_sequence lengths': (
        lambda *xs: F.transpose_sequence(xs), [CUBE[0], CUBE[1, :1]], 7),
    'vstack': (lambda *xs: F.vstack(xs), [MATRIX, MATRIX[:1]], 7),
    'vstack 1d': (lambda *xs: F.vstack(xs), [VECTOR, VECTOR + 1], 7),
    'where': (F.where, [MATRIX > 0, MATRIX, MATRIX + 1], 9),
    'where constant': (
        lambda x, y: F.where(MATRIX[:1] > 0, x, y), [MATRIX, VECTOR], 9),
}


@pytest.mark.parametrize('name', CASES)
def test_values(name):
    function, args, first = CASES[name]
    check(function, args, first=first)


# Indices of an array of shape (2, 3, 4), and the first version that has them.
INDICES = {
    'int': (1, 7), 'negative': (-1, 7), 'numpy int': (numpy.int64(1), 7),
    '0d array': (numpy.array(1), 7), 'slice': (slice(0, 1), 7),
    'to the end': (slice(1, None), 7), 'negative slice': (slice(-1, None), 7),
    'nothing': ((), 7), 'ellipsis': (Ellipsis, 7), 'None': (None, 7),
    'mixed': ((0, None, Ellipsis, slice(0, 2), None), 7), 'all': ((1, 2, -1), 7),
    'empty': ((slice(None), slice(2, 1)), 7),
    'array': ((slice(None), [2, 0]), 7), 'negative array': (
        (slice(None), [-1, 0]), 7), 'matrix': (([[0, 1], [1, 0]],), 7),
    'mask': ((slice(None), numpy.array([True, False, True])), 7),
    'array after int': ((slice(None), 1, [0, 3]), 7),
    'array before int': ((slice(None), [0, 2, 2], 1), 7),
    'array far from int': ((0, slice(None), [[0, 3], [1, 2]]), 7),
    'array far after slice': ((slice(0, 1), [0, 2, 1], slice(1, 3)), 7),
    'array and None': ((slice(None), None, [0, 2]), 7),
}
STEPS = {
    'step': (slice(None), slice(None, None, 2)), 'back': (slice(None, None, -1),),
    'back from': (slice(None), slice(1, None, -1), slice(-1, 0, -2)),
}
SEVERAL = {
    'two': ([0, 1], [1, 2]), 'three': ([0, 1], [1, 2], [0, -1]),
    'int first': (0, [0, 1], [2, 3]), 'int last': ([0, 1], [0, 2], 0),
    'None last': ([0, 1], [0, 2], None), 'broadcast': ([[0], [1]], [1, 2]),
    'slice last': ([0, 1], [0, 2], slice(1, 3)),
    'wide mask': (CUBE[..., 0] % 8 == 0,),
}


@pytest.mark.parametrize('name', INDICES)
def test_get_item(name):
    index, first = INDICES[name]
    check(lambda x: F.get_item(x, index), [CUBE], first=first)


@pytest.mark.parametrize('name', STEPS)
def test_get_item_with_steps(name):
    check(lambda x: F.get_item(x, STEPS[name]), [CUBE], opsets=range(10, 20))
    with pytest.raises(ValueError, match='opset version 10'):
        export(Model(lambda self, x: F.get_item(x, STEPS[name])), CUBE,
               opset_version=9)


@pytest.mark.parametrize('name', SEVERAL)
def test_get_item_with_several_arrays(name):
    check(lambda x: F.get_item(x, SEVERAL[name]), [CUBE], opsets=range(11, 20))
    with pytest.raises(ValueError, match='opset version 11'):
        export(Model(lambda self, x: F.get_item(x, SEVERAL[name])), CUBE,
               opset_version=10)


@pytest.mark.parametrize('index', [
    ([0, 1], 0, [0, 1]), (slice(None), [0, 1], [0, 1]), (None, [0, 1], [0, 1])])
def test_get_item_with_arrays_apart_is_refused(index):
    with pytest.raises(ValueError, match='GetItem.*must be adjacent'):
        export(Model(lambda self, x: F.get_item(x, index)), CUBE)


@pytest.mark.parametrize('align_corners', [True, False])
@pytest.mark.parametrize('size', [(7, 4), (1, 9), (13, 6)])
def test_resize_images(size, align_corners):
    check(lambda x: F.resize_images(x, size, align_corners=align_corners),
          [IMAGES[:, :, :3]], opsets=range(11, 20))


@pytest.mark.parametrize('align_corners', [True, False])
def test_resize_images_before_resize(align_corners):
    with pytest.warns(UserWarning, match='two products'):
        check(lambda x: F.resize_images(x, (7, 4), align_corners=align_corners),
              [IMAGES], opsets=range(7, 11))


@pytest.mark.parametrize('length', range(1, 40))
def test_sizes_of_resized_images(length):
    # A factor of float32 is not to lose a row.
    for size in range(1, 60, 7):
        model = export(
            Model(lambda self, x: F.resize_images(x, (size, size))),  # noqa: B023
            numpy.zeros((1, 1, length, length), numpy.float32), opset_version=13)
        scales = onnx.numpy_helper.to_array(model.graph.node[0].attribute[0].t)
        assert scales.dtype == numpy.float32
        assert int(numpy.floor(numpy.float32(length) * scales[2])) == size


def test_spatial_transformer_sampler():
    grid = numpy.random.RandomState(1).uniform(-1.5, 1.5, (2, 2, 3, 4))
    check(F.spatial_transformer_sampler, [IMAGES, grid.astype(numpy.float32)],
          first=16, tolerance=1e-4)


@pytest.mark.parametrize('keywords', [
    {'mode': 'mean'}, {'mode': 'linear_ramp', 'end_values': 1}])
def test_modes_of_pad_that_are_refused(keywords):
    with pytest.raises(ValueError, match='Pad cannot be exported'):
        export(Model(lambda self, x: F.pad(x, 1, **keywords)), MATRIX)


@pytest.mark.parametrize('dtype', ['float16', 'float64', 'int32', 'int64', 'bool'])
@pytest.mark.parametrize('name', [
    'concat', 'dstack 1d', 'flip', 'reshape', 'separate', 'split_axis', 'stack',
    'swapaxes', 'repeat'])
def test_dtypes(name, dtype):
    function, args, _ = CASES[name]
    check(function, [x.astype(dtype) for x in args], opsets=[9, 13, 18])


def test_shape_of_a_wrapped_function():
    shape = as_funcnode_quietly('Shape', lambda x: numpy.array(x.shape, numpy.int64))
    check(lambda x: shape(as_variable(x)), [CUBE])


def test_shape_as_an_input():
    reshape = as_funcnode_quietly(
        'Reshape', lambda x, shape: F.reshape(x, tuple(shape.array)))
    check(lambda *xs: reshape(*map(as_variable, xs)), [MATRIX, numpy.array([3, 2])])


def as_funcnode_quietly(name, function):
    with pytest.warns(FutureWarning, match='experimental'):
        return as_funcnode(name)(function)


def test_slice_node_for_other_converters():
    names = set(vars(array))
    assert {'get_slice_node', 'support', 'TENSOR_TYPE_TO_NAME'} <= names
    assert array.TENSOR_TYPE_TO_NAME[1] == 'FLOAT'
