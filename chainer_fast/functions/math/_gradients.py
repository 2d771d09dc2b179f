"""Steps common to the gradients of functions of several arrays."""
from chainer_fast.functions.math import sum as sum_mod


def fit(gradient, operand):
    """Sum a gradient over the axes along which its operand was broadcast."""
    if gradient.shape == operand.shape:
        return gradient
    return sum_mod.sum_to(gradient, operand.shape)


def combine(*products):
    """Sum ``gradient * factor`` over pairs of the two; ``None`` is a zero gradient.

    Return ``None`` if all gradients are ``None``.
    """
    total = None
    for gradient, factor in products:
        if gradient is not None:
            term = gradient * factor
            total = term if total is None else total + term
    return total
