"""Converters of activation functions."""
from __future__ import annotations

from typing import Any

from chainer_fast.onnx.functions._operators import emits, operator

convert_ReLU: Any = operator('Relu')
convert_Sigmoid: Any = operator('Sigmoid')
convert_Tanh: Any = operator('Tanh')


@emits
def convert_ClippedReLU(ops: Any, func: Any, x: Any) -> None:
    ops.clip(x, 0., func.cap, ('zero', 'clip_z'))


@emits
def convert_CReLU(ops: Any, func: Any, x: Any) -> None:
    sides = [ops.op('Relu', [x]), ops.op('Relu', [ops.op('Neg', [x])])]
    ops.op('Concat', sides, axis=func.axis % len(ops.shape()))


@emits
def convert_ELU(ops: Any, func: Any, x: Any) -> None:
    ops.op('Elu', [x], alpha=func.alpha)


@emits
def convert_HardSigmoid(ops: Any, func: Any, x: Any) -> None:
    ops.op('HardSigmoid', [x], alpha=0.2, beta=0.5)


@emits
def convert_LeakyReLU(ops: Any, func: Any, x: Any) -> None:
    ops.op('LeakyRelu', [x], alpha=func.slope)


@emits
def convert__Maxout(ops: Any, func: Any, x: Any) -> None:
    shape = ops.shape()
    split = [shape[func.axis] // func.pool_size, func.pool_size]
    # Zeros keep lengths, so that the batch size may vary.
    groups = ops.reshape(
        x, [0] * func.axis + split + list(shape[func.axis + 1:]))
    ops.along('ReduceMax', groups, [func.axis + 1], keepdims=0)


@emits
def convert_PReLUFunction(ops: Any, func: Any, x: Any, slope: Any) -> None:
    ops.op('PRelu', [
        x, ops.beside_channels(slope, len(ops.shape(1)), len(ops.shape()))])


@emits
def convert_RReLU(ops: Any, func: Any, x: Any) -> None:
    mean = (func.lower + func.upper) / 2
    if not bool((func.r == func.r.dtype.type(mean)).all()):
        raise ops.refusal(
            'its slopes are random in training mode; export with train=False')
    ops.op('LeakyRelu', [x], alpha=mean)


@emits
def convert_Selu(ops: Any, func: Any, x: Any) -> None:
    ops.op('Selu', [x], alpha=func.alpha, gamma=func.scale)


def _along_axis(op_name):
    def convert(ops, func, x):
        ndim = len(ops.shape())
        axis, last = func.axis % ndim, ndim - 1
        if axis == last or ops.opset_version >= 13:
            ops.op(op_name, [x], axis=axis)
            return
        # Before version 13, all axes from the given one on were treated as one.
        order = list(range(ndim))
        order[axis], order[last] = last, axis
        y = ops.op(op_name, [ops.transpose(x, order)], axis=last)
        ops.transpose(y, order)
    return emits(convert)


convert_LogSoftmax: Any = _along_axis('LogSoftmax')
convert_Softmax: Any = _along_axis('Softmax')


@emits
def convert_Softplus(ops: Any, func: Any, x: Any) -> None:
    if func.beta == 1:
        ops.op('Softplus', [x])
        return
    y = ops.op('Softplus', [ops.op('Mul', [x, ops.const(func.beta, 'beta')])])
    ops.op('Mul', [y, ops.const(func.beta_inv, 'beta_inv')])


@emits
def convert_Swish(ops: Any, func: Any, x: Any, beta: Any) -> None:
    beta = ops.beside_channels(beta, len(ops.shape(1)), len(ops.shape()))
    ops.op('Mul', [x, ops.op('Sigmoid', [ops.op('Mul', [x, beta])])])
