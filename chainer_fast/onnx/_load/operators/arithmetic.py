"""Elementwise arithmetic."""
import functools
import operator as op
from collections.abc import Callable

import numpy

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load.operators.shape import along_axis
from chainer_fast.onnx._load.table import (
    any_variable,
    either,
    is_float,
    on_arrays,
    operator,
    raw,
    same,
)

# ------------------------------------------------------------------- of one value

for _name, _on_variables, _of_arrays in [
        ('Abs', F.absolute, abs),
        ('Acos', F.arccos, numpy.arccos),
        ('Asin', F.arcsin, numpy.arcsin),
        ('Atan', F.arctan, numpy.arctan),
        ('Atanh', F.arctanh, numpy.arctanh),
        ('Cos', F.cos, numpy.cos),
        ('Cosh', F.cosh, numpy.cosh),
        ('Exp', F.exp, numpy.exp),
        ('Log', F.log, numpy.log),
        ('Neg', op.neg, op.neg),
        ('Sin', F.sin, numpy.sin),
        ('Sinh', F.sinh, numpy.sinh),
        ('Sqrt', F.sqrt, numpy.sqrt),
        ('Tan', F.tan, numpy.tan)]:
    same(_name, either(_on_variables, _of_arrays))

same('Erf', F.erf)
# Looked up at each call: during an export, other functions replace them.
same('Ceil', either(lambda x: F.ceil(x), numpy.ceil))
same('Floor', either(lambda x: F.floor(x), numpy.floor))
same('Sign', either(lambda x: F.sign(x), numpy.sign))
same('Reciprocal', lambda x: 1 / x)
same('Round', on_arrays(numpy.rint))
same('Asinh', lambda x: F.log(x + F.sqrt(x * x + 1)))
same('Acosh', lambda x: F.log(x + F.sqrt(x * x - 1)))


@operator('Clip', host=(1, 2))
def clip(node):
    lowest, highest = node.get('min', None), node.get('max', None)

    def compute(x, low=None, high=None):
        low = lowest if low is None else low.item()
        high = highest if high is None else high.item()
        if not any_variable(x):
            return x if low is high is None else x.clip(low, high)
        if low is high is None:
            return x
        if None not in (low, high) and low >= high:
            return x * 0 + high
        if low == 0 and high is None:
            return F.relu(x)
        if low == 0 and high is not None:
            # Its gradient is zero at both bounds, like that of ReLU.
            return F.clipped_relu(x, high)
        return F.clip(x, low, high)

    return compute


# ------------------------------------------------------------------ of two values

def _scalars(node):
    """Positions of operands that are 0-dimensional floating-point constants."""
    values = [node.known(i) for i in range(2)]
    found = tuple([
        i for i, value in enumerate(values)
        if value is not None and value.ndim == 0 and is_float(value)])
    # Numbers alone would not determine the dtype of the result.
    return found if len(found) == 1 else ()


def _divide(a, b):
    if any_variable(a, b) or is_float(b):
        return a / b
    quotient = a // b       # rounded down; that of ONNX is rounded to zero
    return quotient + ((a % b != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def _power(x, exponent):
    if any_variable(x, exponent) and (isinstance(x, float) or is_float(x)):
        return x ** exponent
    x, exponent = raw(x), raw(exponent)
    return (x ** exponent).astype(x.dtype, copy=False)


for _name, _function in [
        ('Add', op.add), ('Sub', op.sub), ('Mul', op.mul), ('Div', _divide),
        ('Pow', _power)]:
    @operator(_name, host=_scalars)
    def binary(node, function=_function):
        scalars = _scalars(node)
        if not scalars:
            return function
        # A variable and a number are combined by a function of one variable. Arrays
        # need the constant itself, since a number may change their dtype.
        number = node.known(scalars[0]).item()
        if scalars == (1,):
            return lambda a, b: function(a, number if any_variable(a) else b)
        return lambda a, b: function(number if any_variable(b) else a, b)


@operator('Mod')
def mod(node):
    of_floats = node.require('fmod', 0, 1, default=0)

    def compute(a, b):
        if not any_variable(a, b):
            return numpy.fmod(a, b) if of_floats else a % b
        rest = F.fmod(a, b)
        if of_floats:
            return rest
        array, divisor = raw(rest), F.broadcast_to(b, rest.shape)
        other_sign = (array != 0) & ((array < 0) != (divisor.array < 0))
        return rest + F.where(other_sign, divisor, array * 0)

    return compute


# ---------------------------------------------------------------- of several values

def _reduced(function):
    def build(node):
        return lambda *xs: functools.reduce(function, xs)
    return build


operator('Sum')(_reduced(op.add))
operator('Max')(_reduced(either(F.maximum, numpy.maximum)))
operator('Min')(_reduced(either(F.minimum, numpy.minimum)))


@operator('Mean')
def mean(node):
    return lambda *xs: functools.reduce(op.add, xs) * (1 / len(xs))


@operator('Where')
def where(node):
    def compute(condition, x, y):
        condition = raw(condition)
        if any_variable(x, y):
            return F.where(condition, x, y)
        return backend.get_array_module(condition).where(condition, x, y)

    return compute


#: Cumulative operators: functions of variables and of arrays, and the initial value.
_CUMULATIVE: dict[str, tuple[Callable, Callable, int]] = {
    'CumSum': (F.cumsum, numpy.cumsum, 0), 'CumProd': (F.cumprod, numpy.cumprod, 1)}

for _name, _parts in _CUMULATIVE.items():
    @operator(_name, host=(1,))
    def cumulative(node, parts=_parts):
        function, of_arrays, first = parts
        exclusive = node.require('exclusive', 0, 1, default=0)
        reverse = node.require('reverse', 0, 1, default=0)

        def compute(x, axis):
            axis = axis.item() % x.ndim
            back = (slice(None),) * axis + (slice(None, None, -1),)
            y = x[back] if reverse else x
            if any_variable(x):
                y = function(y, axis)
            else:
                y = of_arrays(y, axis, dtype=x.dtype)
            if exclusive:
                xp = backend.get_array_module(raw(y))
                start = xp.full_like(raw(along_axis(y, axis, slice(1))), first)
                rest = along_axis(y, axis, slice(-1))
                y = F.concat((start, rest), axis) if any_variable(y) else (
                    xp.concatenate((start, rest), axis))
            return y[back] if reverse else y

        return compute


same('Det', lambda x: F.det(x) if x.ndim == 2 else F.reshape(
    F.batch_det(F.reshape(x, (-1, *x.shape[-2:]))), x.shape[:-2]))
