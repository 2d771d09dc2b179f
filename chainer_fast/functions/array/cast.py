from chainer_fast import variable
from chainer_fast.function_node import FunctionNode
from chainer_fast.utils import type_check


class Cast(FunctionNode):
    """Changes the dtype of an array."""

    def __init__(self, typ):
        super().__init__()
        self.type = typ

    def check_type_forward(self, in_types):
        type_check._argname(in_types, ('x',))

    def forward(self, inputs):
        self._in_type = inputs[0].dtype.type
        return inputs[0].astype(self.type, copy=False),

    def backward(self, indexes, grad_outputs):
        return cast(grad_outputs[0], self._in_type),


def cast(x, typ):
    """Changes the dtype of an array.

    Parameters
    ----------
    x : Variable or array
        Array of any shape.
    typ : str or dtype
        The dtype to change to.

    Returns
    -------
    Variable
        The values converted. Where ``x`` has that dtype already, it comes back as it
        is.

    Examples
    --------
    >>> x = np.arange(0, 3, dtype=np.float64)
    >>> F.cast(x, np.float32).dtype
    dtype('float32')
    """
    if x.dtype == typ:
        # The gradient has the dtype of the variable, so a node that changes
        # nothing would only lengthen the graph.
        return variable.as_variable(x)
    return Cast(typ).apply((x,))[0]
