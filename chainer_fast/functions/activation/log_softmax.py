from chainer_fast import backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import exponential
from chainer_fast.functions.math import sum as sum_


def logsumexp(x, axis):
    """Logarithm of the sum of exponentials of an array, axes kept.

    The largest element is taken out of the sum, so that no exponential
    exceeds one.

    Parameters
    ----------
    x : array
        Array of a floating dtype.
    axis : int or tuple of ints
        Axes to reduce.

    Returns
    -------
    array
        The result, with length 1 in the reduced axes.
    """
    xp = backend.get_array_module(x)
    largest = x.max(axis=axis, keepdims=True)
    terms = x - largest
    xp.exp(terms, out=terms)
    total = terms.sum(axis=axis, keepdims=True)
    xp.log(total, out=total)
    total += largest
    return total


def _log_softmax(x, axis=1):
    # On arrays; losses and CTC share it.
    return x - logsumexp(x, axis)


class LogSoftmax(FunctionNode):
    """Logarithm of the softmax along one axis."""

    def __init__(self, axis=1):
        super().__init__()
        self.axis = axis

    def check_type_forward(self, in_types):
        _checks.floats(in_types, 'x')
        _checks.axis(in_types[0], self.axis)

    def forward(self, inputs):
        x, = inputs
        # The gradient is made of the output; of the input it wants no more
        # than its description.
        self._x_xp = backend.get_array_module(x)
        self._x_shape = x.shape
        self._x_dtype = x.dtype
        self.retain_outputs((0,))
        return _log_softmax(x, self.axis),

    def backward(self, indexes, grad_outputs):
        y, = self.get_retained_outputs()
        about_x = self._x_xp, self._x_shape, self._x_dtype
        return LogSoftmaxGrad(*about_x, self.axis).apply((y, *grad_outputs))


class LogSoftmaxGrad(FunctionNode):
    """Gradient of :class:`LogSoftmax`: :math:`g - e^y \\sum_i g_i`.

    Parameters
    ----------
    x_xp
        Array module of the forward pass's input.
    x_shape : tuple
        Its shape.
    x_dtype
        Its dtype.
    axis : int
        Axis along which the softmax was taken.
    """

    def __init__(self, x_xp, x_shape, x_dtype, axis):
        super().__init__()
        self._x_xp = x_xp
        self._x_shape = x_shape
        self._x_dtype = x_dtype
        self.axis = axis

    def forward(self, inputs):
        y, gy = inputs
        self.retain_inputs((0, 1))
        total = gy.sum(axis=self.axis, keepdims=True)
        return gy - self._x_xp.exp(y) * total,

    def backward(self, indexes, grad_outputs):
        y, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        prob_ggx = exponential.exp(y) * ggx
        grad_y = -prob_ggx * sum_.sum(gy, axis=self.axis, keepdims=True)
        grad_gy = ggx - sum_.sum(prob_ggx, axis=self.axis, keepdims=True)
        return grad_y, grad_gy


def log_softmax(x, axis=1):
    """Logarithm of the softmax along an axis.

    .. math:: f_i(x) = x_i - \\log \\sum_j \\exp(x_j)

    It keeps its precision where ``log(softmax(x))`` would underflow to
    minus infinity.

    Parameters
    ----------
    x : Variable or array
        Array of a floating dtype.
    axis : int
        Axis along which the softmax is taken.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    See Also
    --------
    chainer.functions.softmax

    Examples
    --------
    >>> x = np.array([[0., 1000.]], np.float32)
    >>> F.log_softmax(x).array
    array([[-1000.,     0.]], dtype=float32)
    """
    return LogSoftmax(axis).apply((x,))[0]
