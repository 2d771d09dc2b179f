"""A function from outside of the package, with all forms that those inside have."""
import pathlib

import softsign_loops

from chainer_fast import utils
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.elements import Elements
from chainer_fast.function_node import FunctionNode

elements = Elements(str(pathlib.Path(__file__).with_name('softsign.hpp')),
                    softsign_loops.loops)


@record(elements.record('Softsign::of', ('Softsign::grad', 0), parameters=('width',)))
class Softsign(FunctionNode):
    """``x / (width + |x|)``."""

    def __init__(self, width=1.):
        super().__init__()
        self.width = width

    def forward(self, inputs):
        x, = inputs
        self.retain_inputs((0,))
        return utils.force_array(x / (x.dtype.type(self.width) + abs(x))),

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        wide = self.width + abs(x)
        return self.width / (wide * wide) * grad_outputs[0],


def softsign(x, width=1.):
    return Softsign(width).apply((x,))[0]
