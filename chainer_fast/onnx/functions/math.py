"""Converters of mathematical functions."""
from __future__ import annotations

import math
from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.onnx.functions._operators import emits, operator, positive, refuses

# ---------------------------------------------------------- one operator, no attributes

convert_Absolute: Any = operator('Abs')
convert_Add: Any = operator('Add')
convert_Arccos: Any = operator('Acos')
convert_Arcsin: Any = operator('Asin')
convert_Arctan: Any = operator('Atan')
convert_Arctanh: Any = operator('Atanh')
convert_BatchDet: Any = operator('Det')
convert_Cos: Any = operator('Cos')
convert_Cosh: Any = operator('Cosh')
convert_Div: Any = operator('Div')
convert_Erf: Any = operator('Erf')
convert_Exp: Any = operator('Exp')
convert_Identity: Any = operator('Identity')
convert_Log: Any = operator('Log')
convert_Mul: Any = operator('Mul')
convert_Neg: Any = operator('Neg')
convert_PowVarVar: Any = operator('Pow')
convert_Sin: Any = operator('Sin')
convert_Sinh: Any = operator('Sinh')
convert_Sqrt: Any = operator('Sqrt')
convert_Sub: Any = operator('Sub')
convert_Tan: Any = operator('Tan')

# Functions that make no node in the graph: the export inserts functions of these names.
convert_ceil: Any = operator('Ceil')
convert_floor: Any = operator('Floor')
convert_sign: Any = operator('Sign')


@emits
def convert_fix(ops: Any, func: Any, x: Any) -> None:
    size = ops.op('Floor', [ops.op('Abs', [x])])
    ops.op('Mul', [ops.op('Sign', [x]), size])


# ----------------------------------------------------------------------- with constants

def _with_value(op_name, value_first=False):
    def convert(ops, func, x):
        value = ops.const(
            numpy.asarray(cuda.to_cpu(func.value)).astype(ops.dtype()), 'value')
        ops.op(op_name, [value, x] if value_first else [x, value])
    return emits(convert)


convert_AddConstant: Any = _with_value('Add')
convert_DivFromConstant: Any = _with_value('Div', value_first=True)
convert_MulConstant: Any = _with_value('Mul')
convert_PowConstVar: Any = _with_value('Pow', value_first=True)
convert_PowVarConst: Any = _with_value('Pow')
convert_SubFromConstant: Any = _with_value('Sub', value_first=True)


def _scaled(op_name, factor):
    def convert(ops, func, x):
        ops.op('Mul', [ops.op(op_name, [x]), ops.const(factor, 'factor')])
    return emits(convert)


convert_Log10: Any = _scaled('Log', 1 / math.log(10))
convert_Log2: Any = _scaled('Log', 1 / math.log(2))


@emits
def convert_Clip(ops: Any, func: Any, x: Any) -> None:
    ops.clip(x, func.x_min, func.x_max, ('x_min', 'x_max'))


@emits
def convert_Erfc(ops: Any, func: Any, x: Any) -> None:
    ops.op('Sub', [ops.const(1, 'one'), ops.op('Erf', [x])])


@emits
def convert_Expm1(ops: Any, func: Any, x: Any) -> None:
    ops.op('Sub', [ops.op('Exp', [x]), ops.const(1, 'one')])


@emits
def convert_Log1p(ops: Any, func: Any, x: Any) -> None:
    ops.op('Log', [ops.op('Add', [x, ops.const(1, 'one')])])


@emits
def convert_Ndtr(ops: Any, func: Any, x: Any) -> None:
    erf = ops.op('Erf', [ops.op('Mul', [x, ops.const(math.sqrt(0.5), 'factor')])])
    half = ops.const(0.5, 'half')
    ops.op('Add', [ops.op('Mul', [erf, half]), half])


@emits
def convert_RsqrtGPU(ops: Any, func: Any, x: Any) -> None:
    ops.op('Reciprocal', [ops.op('Sqrt', [x])])


@emits
def convert_Square(ops: Any, func: Any, x: Any) -> None:
    ops.op('Mul', [x, x])


# ----------------------------------------------------------------------- several arrays

@emits
def convert_Arctan2(ops: Any, func: Any, y: Any, x: Any) -> None:
    # The arctangent of y / x is correct for x >= 0, and off by half a turn elsewhere.
    zero, turn = ops.const(0, 'zero'), ops.const(math.pi, 'pi')
    back = ops.op('Where', [
        ops.op('Less', [y, zero]), ops.const(-math.pi, 'minus_pi'), turn])
    offset = ops.op('Where', [ops.op('Less', [x, zero]), back, zero])
    angle = ops.op('Add', [ops.op('Atan', [ops.op('Div', [y, x])]), offset])
    origin = ops.op('And', [
        ops.op('Not', [ops.cast(each, bool)]) for each in (x, y)])
    ops.op('Where', [origin, zero, angle])


@emits
def convert_Fmod(ops: Any, func: Any, x: Any, divisor: Any) -> None:
    ops.op('Mod', [x, divisor], fmod=1)


@emits
def convert_LinearInterpolate(
        ops: Any, func: Any, p: Any, x: Any, y: Any) -> None:
    rest = ops.op('Sub', [ops.const(1, 'one'), p])
    ops.op('Add', [ops.op('Mul', [p, x]), ops.op('Mul', [rest, y])])


def _of_pairs(op_name):
    def convert(ops, func, x1, x2):
        if ops.shape(0) != ops.shape(1) and ops.opset_version < 8:
            raise RuntimeError(
                'opset version %d does not support %s for the shapes %s and %s: export '
                'with opset_version=8 or later'
                % (ops.opset_version, op_name, ops.shape(0), ops.shape(1)))
        ops.op(op_name, [x1, x2])
    return emits(convert)


convert_Maximum: Any = _of_pairs('Max')
convert_Minimum: Any = _of_pairs('Min')


@emits
def convert_MultiAdd(ops: Any, func: Any, first: Any, *others: Any) -> None:
    if not others:
        ops.op('Identity', [first])
    for other in others:
        first = ops.op('Add', [first, other])


# --------------------------------------------------------------------------- reductions

def _reduction(op_name):
    def convert(ops, func, x):
        axes = positive(func.axis, len(ops.shape()))
        if axes == []:
            ops.op('Identity', [x])     # in ONNX, no axes mean all axes
        else:
            ops.along(op_name, x, axes, keepdims=int(func.keepdims))
    return emits(convert)


convert_LogSumExp: Any = _reduction('ReduceLogSumExp')
convert_Max: Any = _reduction('ReduceMax')
convert_Mean: Any = _reduction('ReduceMean')
convert_Min: Any = _reduction('ReduceMin')
convert_Prod: Any = _reduction('ReduceProd')
convert_Sum: Any = _reduction('ReduceSum')


@emits
def convert_BatchL2NormSquared(ops: Any, func: Any, x: Any) -> None:
    axes = range(1, len(ops.shape()))
    ops.along('ReduceSumSquare', x, axes, keepdims=0)


def _place(op_name):
    def convert(ops, func, x):
        axis = func.axis
        if axis is None:
            x, axis = ops.reshape(x, [-1]), 0
        else:
            axis %= len(ops.shape())
        ops.cast(ops.op(op_name, [x], axis=axis, keepdims=0), numpy.int32)
    return emits(convert)


convert_ArgMax: Any = _place('ArgMax')
convert_ArgMin: Any = _place('ArgMin')


def _flat_or(ops, func, x):
    """Array and axis; the array is flattened if the function has no axis."""
    if func.axis is None:
        return ops.reshape(x, [-1]), 0
    return x, func.axis % len(ops.shape())


@emits
def convert_Cumsum(ops: Any, func: Any, x: Any) -> None:
    x, axis = _flat_or(ops, func, x)
    ops.op('CumSum', [x, ops.ints(axis, 'axis')])


@emits
def convert_Cumprod(ops: Any, func: Any, x: Any) -> None:
    shape = ops.shape() if func.axis is not None else (math.prod(ops.shape()),)
    x, axis = _flat_or(ops, func, x)
    if ops.has('CumProd'):
        ops.op('CumProd', [x, ops.ints(axis, 'axis')])
        return
    # Row i of a square matrix has the factors up to i, followed by ones.
    n, ndim = shape[axis], len(shape)
    mask = numpy.tri(n, dtype=bool).reshape((n, n) + (1,) * (ndim - 1 - axis))
    rows = ops.along('Unsqueeze', x, [axis])
    factors = ops.op('Where', [
        ops.const(mask, 'mask', bool), rows, ops.const(1, 'one')])
    ops.along('ReduceProd', factors, [axis + 1], keepdims=0)


@emits
def convert_BroadcastTo(ops: Any, func: Any, x: Any) -> None:
    shape = list(func._shape)
    if ops.context.has_named_sizes:
        # Broadcasting with one keeps the size of the input, whatever it is.
        for axis, length in enumerate(reversed(ops.shape()), 1):
            if shape[-axis] == length:
                shape[-axis] = 1
    ops.op('Expand', [x, ops.ints(shape, 'shape')])


# ----------------------------------------------------------------------------- matrices

def _flipped(ops, x, ndim):
    if ndim < 2:
        return x
    return ops.transpose(x, [*range(ndim - 2), ndim - 1, ndim - 2])


@emits
def convert_MatMul(ops: Any, func: Any, a: Any, b: Any) -> None:
    ndims = len(ops.shape(0)), len(ops.shape(1))
    transposes = func.transa, func.transb
    operands = [
        _flipped(ops, x, ndim) if yes else x
        for x, ndim, yes in zip((a, b), ndims, transposes, strict=True)]
    y = ops.op('MatMul', operands)
    if func.transc:
        _flipped(ops, y, max(ndims) if min(ndims) > 1 else 0)


@emits
def convert_BatchMatMul(ops: Any, func: Any, a: Any, b: Any) -> None:
    operands = []
    for i, (x, yes) in enumerate(((a, func.transa), (b, func.transb))):
        if len(ops.shape(i)) == 2:
            x = ops.along('Unsqueeze', x, [2])
        operands.append(_flipped(ops, x, 3) if yes else x)
    ops.op('MatMul', operands)


# ------------------------------------------------------------------ what ONNX cannot do

convert_BatchInv = convert_Inv = refuses('ONNX has no inverse of matrices')
convert_Cholesky = refuses('ONNX has no decomposition of matrices')
convert_CooMatMul = refuses('ONNX has no product of sparse matrices')
convert_DiGamma = convert_LGamma = convert_PolyGamma = convert_Zeta = refuses(
    'ONNX has no gamma functions')
convert_ErfInv = convert_ErfcInv = convert_Ndtri = refuses(
    'ONNX has no inverse of the error function')
convert_Erfcx = convert_LogNdtr = refuses(
    'ONNX has no error function that is precise in its tails')
