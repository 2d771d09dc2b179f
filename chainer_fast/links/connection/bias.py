"""Addition of a broadcast bias."""
from __future__ import annotations

import typing as tp

from chainer_fast import link, variable
from chainer_fast.configuration.debug import is_debug
from chainer_fast.functions.math import bias
from chainer_fast.variable import Variable


class Bias(link.Link):
    """Adds a bias, broadcast along the other axes.

    See :func:`chainer_fast.functions.bias`.

    Parameters
    ----------
    axis : int
        Axis of the input that the first axis of the bias corresponds to.
    shape : tuple of int or None
        Shape of the bias. If None, the link has no bias and takes it as second
        argument.

    Attributes
    ----------
    b : chainer_fast.Parameter
        The bias, initially zero; only with ``shape``.
    axis : int
        As given.
    """

    def __init__(self, axis: int = 1, shape: tuple[int, ...] | None = None) -> None:
        super().__init__()
        with self.init_scope():
            self.axis = axis
            if shape is not None:
                self.b = variable.Parameter(0, shape)

    def forward(self, *xs: tp.Any) -> Variable:
        """Add the bias.

        Parameters
        ----------
        *xs : chainer_fast.Variable or array
            The input, followed by the bias if the link has none.

        Returns
        -------
        chainer_fast.Variable
            The sum, of the shape of the input.
        """
        own = hasattr(self, 'b')
        if is_debug():
            assert len(xs) == 2 - own, (
                'this Bias takes %d argument(s), not %d' % (2 - own, len(xs)))
        x, b = (*xs, self.b) if own else xs
        return bias.bias(x, b, self.axis)
