"""Converters of functions that add noise."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.onnx.functions import connection
from chainer_fast.onnx.functions._operators import emits, refuses


def dropped(ops: Any, x: Any, ratio: Any):
    """Add dropout in training mode; returns its output."""
    if ops.takes('Dropout', 'ratio'):
        return ops.op('Dropout', [x], ratio=ratio)
    # Up to version 11, the runtime's mode determined it.
    return ops.op('Dropout', [
        x, ops.const(ratio, 'ratio', numpy.float32),
        ops.const(True, 'training_mode', bool)])


@emits
def convert_Dropout(ops: Any, func: Any, x: Any) -> None:
    # Functions of this class are only made in training mode.
    dropped(ops, x, func.dropout_ratio)


@emits
def convert_Gaussian(ops: Any, func: Any, mean: Any, ln_var: Any) -> None:
    deviation = ops.op('Exp', [ops.op('Mul', [ln_var, ops.const(0.5, 'half')])])
    noise = ops.op('Mul', [deviation, ops.op('RandomNormalLike', [mean])])
    ops.op('Add', [mean, noise])


@emits
def convert_SimplifiedDropconnect(
        ops: Any, func: Any, x: Any, *others: Any) -> None:
    if func.ratio != 0:
        raise ops.refusal('it drops weights at random; export with train=False')
    if len(ops.shape()) > 2:
        x = ops.op('Flatten', [x], axis=1)
    connection.affine(ops, x, *others)


convert_Zoneout = refuses('it is random in training mode; export with train=False')
