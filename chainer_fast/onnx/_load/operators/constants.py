"""Constants, and arrays generated from a description."""
import numpy

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load import reading
from chainer_fast.onnx._load.node import Unsupported
from chainer_fast.onnx._load.table import any_variable, ints, on_arrays, operator, raw


def value_of(node):
    """Return the array of a Constant node."""
    for name, dtype in [
            ('value', None), ('value_float', 'float32'), ('value_floats', 'float32'),
            ('value_int', 'int64'), ('value_ints', 'int64')]:
        value = node.get(name, None)
        if value is not None:
            return numpy.array(value, dtype)
    raise Unsupported('its value is neither a number nor a dense tensor of numbers')


@operator('Identity')
def identity(node):
    return lambda x: x


def target_dtype(number):
    """Return the dtype of an ONNX type, for a node that makes such arrays."""
    dtype = reading.dtype_of(number)
    if dtype is None:
        raise Unsupported('arrays do not support its type '
                          '%s' % reading.type_name(number))
    return dtype


def _cast(x, dtype):
    if x.dtype == dtype:
        return x
    return F.cast(x, dtype) if any_variable(x) else x.astype(dtype)


@operator('Cast')
def cast(node):
    dtype = target_dtype(node.get('to'))
    # They concern types that arrays do not support.
    node.get('saturate', 1)
    node.get('round_mode', 'up')
    return lambda x: _cast(x, dtype)


@operator('CastLike')
def cast_like(node):
    node.get('saturate', 1)
    node.get('round_mode', 'up')
    return lambda x, like: _cast(x, like.dtype)


@operator('Shape', describes=True)
def shape(node):
    window = slice(node.get('start', None), node.get('end', None))
    return lambda x: numpy.array(x.shape[window], numpy.int64)


@operator('Size', describes=True)
def size(node):
    return lambda x: numpy.array(x.size, numpy.int64)


@operator('ConstantOfShape', host=(0,))
def constant_of_shape(node):
    value = node.get('value', numpy.zeros(1, numpy.float32))
    return lambda shape: numpy.full(ints(shape), value.item(), value.dtype)


@operator('Range', host=(0, 1, 2))
def arange(node):
    return lambda start, limit, delta: numpy.arange(
        start.item(), limit.item(), delta.item(), dtype=start.dtype)


@operator('RandomNormalLike')
def random_normal_like(node):
    mean, scale = node.get('mean', 0.), node.get('scale', 1.)
    number = node.get('dtype', None)
    dtype = None if number is None else target_dtype(number)
    node.get('seed', None)      # numbers are drawn by the device's generator

    def compute(x):
        xp = backend.get_array_module(raw(x))
        zeros = xp.zeros(x.shape, dtype or x.dtype)
        return F.gaussian(zeros, zeros) * scale + mean

    return compute


@operator('EyeLike')
def eye_like(node):
    shift, number = node.get('k', 0), node.get('dtype', None)
    dtype = None if number is None else target_dtype(number)

    def compute(x):
        xp = backend.get_array_module(raw(x))
        return xp.eye(*x.shape, k=shift, dtype=dtype or x.dtype)

    return compute


@operator('OneHot', host=(1, 2))
def one_hot(node):
    axis = node.get('axis', -1)

    def compute(indices, depth, values):
        indices, depth = raw(indices), int(depth.item())
        xp = backend.get_array_module(indices)
        off, on = values.tolist()
        shape = [1] * (indices.ndim + 1)
        shape[axis] = depth
        places = xp.arange(depth).reshape(shape)
        chosen = xp.expand_dims(indices % depth, axis) == places
        inside = xp.expand_dims((indices >= -depth) & (indices < depth), axis)
        return xp.where(
            chosen & inside, xp.array(on, values.dtype), xp.array(off, values.dtype))

    return compute


@operator('NonZero')
def non_zero(node):
    return on_arrays(lambda x: backend.get_array_module(x).stack(
        x.reshape(x.shape or 1).nonzero()).astype(numpy.int64))


@operator('Trilu', host=(1,))
def triangle(node):
    upper = node.require('upper', 0, 1, default=1)

    def compute(x, shift=None):
        k = 0 if shift is None else shift.item()
        xp = backend.get_array_module(raw(x))
        ones = xp.ones(x.shape[-2:], bool)
        kept = xp.triu(ones, k) if upper else xp.tril(ones, k)
        zero = xp.zeros((), x.dtype)
        return (F if any_variable(x) else xp).where(kept, x, zero)

    return compute
