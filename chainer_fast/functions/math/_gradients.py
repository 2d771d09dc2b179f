"""Steps that the gradients of functions of several arrays have in common."""
from chainer_fast.functions.math import sum as sum_mod


def fit(gradient, operand):
    """Sums a gradient over the axes along which its operand was broadcast."""
    if gradient.shape == operand.shape:
        return gradient
    return sum_mod.sum_to(gradient, operand.shape)


def combine(*products):
    """Sums ``gradient * factor`` over pairs of them; ``None`` is a gradient of zero.

    Returns ``None`` when all are.
    """
    total = None
    for gradient, factor in products:
        if gradient is not None:
            term = gradient * factor
            total = term if total is None else total + term
    return total
