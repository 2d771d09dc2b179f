"""Converters of activation functions."""
from __future__ import annotations

import typing as tp

from chainer_fast.onnx.functions._operators import emits, operator

convert_ReLU: tp.Any = operator('Relu')
convert_Sigmoid: tp.Any = operator('Sigmoid')
convert_Tanh: tp.Any = operator('Tanh')


@emits
def convert_ClippedReLU(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    ops.clip(x, 0., func.cap, ('zero', 'clip_z'))


@emits
def convert_CReLU(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    sides = [ops.op('Relu', [x]), ops.op('Relu', [ops.op('Neg', [x])])]
    ops.op('Concat', sides, axis=func.axis % len(ops.shape()))


@emits
def convert_ELU(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    ops.op('Elu', [x], alpha=func.alpha)


@emits
def convert_HardSigmoid(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    ops.op('HardSigmoid', [x], alpha=0.2, beta=0.5)


@emits
def convert_LeakyReLU(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    ops.op('LeakyRelu', [x], alpha=func.slope)


@emits
def convert__Maxout(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    shape = ops.shape()
    split = [shape[func.axis] // func.pool_size, func.pool_size]
    # Zeros keep lengths, so that the batch size may vary.
    groups = ops.reshape(
        x, [0] * func.axis + split + list(shape[func.axis + 1:]))
    ops.along('ReduceMax', groups, [func.axis + 1], keepdims=0)


@emits
def convert_PReLUFunction(ops: tp.Any, func: tp.Any, x: tp.Any, slope: tp.Any) -> None:
    ops.op('PRelu', [
        x, ops.beside_channels(slope, len(ops.shape(1)), len(ops.shape()))])


@emits
def convert_RReLU(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    mean = (func.lower + func.upper) / 2
    if not bool((func.r == func.r.dtype.type(mean)).all()):
        raise ops.refusal(
            'its slopes are random in training mode; export with train=False')
    ops.op('LeakyRelu', [x], alpha=mean)


@emits
def convert_Selu(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
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


convert_LogSoftmax: tp.Any = _along_axis('LogSoftmax')
convert_Softmax: tp.Any = _along_axis('Softmax')


@emits
def convert_Softplus(ops: tp.Any, func: tp.Any, x: tp.Any) -> None:
    if func.beta == 1:
        ops.op('Softplus', [x])
        return
    y = ops.op('Softplus', [ops.op('Mul', [x, ops.const(func.beta, 'beta')])])
    ops.op('Mul', [y, ops.const(func.beta_inv, 'beta_inv')])


@emits
def convert_Swish(ops: tp.Any, func: tp.Any, x: tp.Any, beta: tp.Any) -> None:
    beta = ops.beside_channels(beta, len(ops.shape(1)), len(ops.shape()))
    ops.op('Mul', [x, ops.op('Sigmoid', [ops.op('Mul', [x, beta])])])
