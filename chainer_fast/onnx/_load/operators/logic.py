"""Comparisons and logic, which have no gradients."""
import operator as op

import numpy

from chainer_fast.onnx._load.table import on_arrays, operator, same

for _name, _function in [
        ('Equal', op.eq), ('Greater', op.gt), ('GreaterOrEqual', op.ge),
        ('Less', op.lt), ('LessOrEqual', op.le), ('And', op.and_), ('Or', op.or_),
        ('Xor', op.xor), ('Not', numpy.logical_not), ('IsNaN', numpy.isnan),
        ('BitwiseAnd', op.and_), ('BitwiseOr', op.or_), ('BitwiseXor', op.xor),
        ('BitwiseNot', op.invert)]:
    same(_name, on_arrays(_function))


@operator('IsInf')
def is_inf(node):
    positive = node.require('detect_positive', 0, 1, default=1)
    negative = node.require('detect_negative', 0, 1, default=1)
    return on_arrays(lambda x: numpy.isinf(x) & (
        (x > 0) & bool(positive) | (x < 0) & bool(negative)))
