"""Functions compiled by Theano."""
import numpy

from chainer_fast import backend, function
from chainer_fast.utils import type_check


class TheanoFunction(function.Function):
    """Calls functions compiled by Theano.

    They run on the CPU; arrays on a GPU are copied to the CPU and back.

    Parameters
    ----------
    forward_func : theano.compile.Function
        Function that maps the inputs to a list of the outputs.
    backward_func : theano.compile.Function
        Function that maps the inputs and the gradients of all outputs to a list of the
        gradients of the inputs.

    Attributes
    ----------
    forward_func, backward_func
        As given.

    See Also
    --------
    chainer_fast.links.TheanoFunction
    """

    def __init__(self, forward_func, backward_func):
        self.forward_func, self.backward_func = forward_func, backward_func

    def check_type_forward(self, in_types):
        expected = [entry[0].variable.type for entry in self.forward_func.indices]
        type_check.expect(in_types.size() == len(expected))
        for in_type, wanted in zip(in_types, expected, strict=True):
            type_check.expect(
                in_type.ndim == wanted.ndim, in_type.dtype == wanted.numpy_dtype)

    def forward(self, inputs):
        outputs = self._call(self.forward_func, inputs, inputs)
        self._likes = [(y.shape, y.dtype) for y in outputs]
        return tuple(outputs)

    def backward(self, inputs, grad_outputs):
        # Theano needs every gradient.
        grads = [
            numpy.zeros(*like) if grad is None else grad
            for grad, like in zip(grad_outputs, self._likes, strict=True)]
        found = self._call(self.backward_func, (*inputs, *grads), inputs)
        # Gradients of inputs such as indices are meaningless.
        return tuple([
            grad.astype(x.dtype, copy=False) if x.dtype.kind == 'f' else None
            for x, grad in zip(inputs, found, strict=True)])

    @staticmethod
    def _call(compiled, arrays, likes):
        """Call a compiled function; move its results to the device of the inputs."""
        on_host = backend.CpuDevice().send(arrays)
        results = [numpy.asarray(y) for y in compiled(*on_host)]
        device = backend.get_device_from_array(*likes)
        return [device.send(y) for y in results]
