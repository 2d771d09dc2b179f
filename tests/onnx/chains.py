"""Chains to be exported, and what is looked at in their files."""
import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.export import export
from tests.onnx import exported

X = numpy.arange(6, dtype=numpy.float32).reshape(2, 3) / 4


class Net(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, 4)
            self.seq = chainer_fast.Sequential(L.Linear(4, 4), F.relu)
            self.w = chainer_fast.Parameter(numpy.float32([1, 2, 3, 4]))

    def forward(self, x):
        return self.seq(F.relu(self.l1(x))) * F.broadcast_to(self.w, (len(x), 4))


class Call(chainer_fast.Chain):
    """Calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def run(model, *args):
    return exported.run(model, args)


def names(values):
    return [value.name for value in values]


ARGS = [X, X + 1]


def quietly(*args, **kwargs):
    with pytest.warns(FutureWarning, match='return_named_inout is experimental'):
        return export(*args, **kwargs)


V = chainer_fast.Variable(X)


def two(x):
    return F.relu(x), F.tanh(x)


class Twice(chainer_fast.FunctionNode):

    def forward(self, inputs):
        return 2 * inputs[0],


def twice(x):
    return Twice().apply((x,))[0]


def converter(op_type, **kwargs):
    def convert(params):
        return onnx_helper.make_node(
            op_type, params.input_names, params.output_names, **kwargs),
    return convert
