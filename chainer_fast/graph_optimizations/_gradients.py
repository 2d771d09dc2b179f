"""Gradients of repeated calls."""
from chainer_fast import function_node

# Maximum number of sets of inputs for whose gradients a call has a plan or a recording;
# other sets are differentiated function by function.
MOST_GRADIENTS = 16


def differentiated(outputs, grads, inputs, enable_double_backprop=False):
    """Return gradients computed by the graph of functions, as a list.

    Parameters
    ----------
    outputs : iterable of Variable
    grads : sequence of (Variable or None)
        Gradients of the outputs; outputs without one are ignored.
    inputs : list of Variable
    enable_double_backprop : bool
    """
    given = [(y, g) for y, g in zip(outputs, grads, strict=True) if g is not None]
    outputs, grads = zip(*given, strict=True)
    return function_node.grad(
        outputs, inputs, grads, enable_double_backprop=enable_double_backprop)
