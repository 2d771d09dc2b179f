"""Addition of a broadcast bias."""
from __future__ import annotations

from typing import Any

from chainer_fast import link, variable
from chainer_fast.configuration.debug import is_debug
from chainer_fast.functions.math import bias
from chainer_fast.variable import Parameter, Variable


class Bias(link.Link):
    """Adds a bias, broadcast along the other axes.

    .. math:: y_{ijk} = x_{ijk} + b_j

    with ``axis`` axes before those of the bias, and any number of axes after
    them; see :func:`chainer_fast.functions.bias`.

    Parameters
    ----------
    axis : int
        Axis of the input that the first axis of the bias corresponds to.
    shape : tuple of int or None
        Shape of the bias. If None, the link has no bias; the second argument of a call
        is the bias.

    Attributes
    ----------
    b : chainer_fast.Parameter
        The bias, initially zero; only with ``shape``.
    axis : int
        As given.

    See Also
    --------
    chainer_fast.functions.bias
    chainer_fast.links.Scale

    Examples
    --------
    >>> bias = L.Bias(axis=1, shape=(3,))
    >>> bias(np.zeros((2, 3, 5), np.float32)).shape
    (2, 3, 5)

    With the bias as an argument:

    >>> x, b = np.zeros((2, 3), np.float32), np.arange(3, dtype=np.float32)
    >>> L.Bias()(x, b).array
    array([[0., 1., 2.],
           [0., 1., 2.]], dtype=float32)
    """

    def __init__(self, axis: int = 1, shape: tuple[int, ...] | None = None) -> None:
        super().__init__()
        with self.init_scope():
            self.axis = axis
            if shape is not None:
                self.b: Parameter = variable.Parameter(0, shape)

    def forward(self, *xs: Any) -> Variable:
        """Add the bias.

        Parameters
        ----------
        *xs : chainer_fast.Variable or array
            The input, followed by the bias if the link has no bias.

        Returns
        -------
        chainer_fast.Variable
            The sum, of the shape of the input.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the bias does not have the shape of the axes of the input from ``axis``
            on.
        ValueError
            If the number of arguments is wrong; in debug mode this is an
            AssertionError.
        """
        own = hasattr(self, 'b')
        if is_debug():
            assert len(xs) == 2 - own, (
                'this Bias takes %d argument(s), not %d' % (2 - own, len(xs)))
        x, b = (*xs, self.b) if own else xs
        return bias.bias(x, b, self.axis)
