"""Multiplication by a broadcast weight."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chainer_fast import link, variable
from chainer_fast.configuration.debug import is_debug
from chainer_fast.functions.math import scale
from chainer_fast.links.connection import bias
from chainer_fast.variable import Variable

if TYPE_CHECKING:
    from chainer_fast.links.connection.bias import Bias


class Scale(link.Chain):
    """Multiplies by a weight, broadcast along other axes, and optionally adds a bias.

    .. math:: y_{ijk} = W_j x_{ijk} + b_j

    with ``axis`` axes before those of the weight, and any number of axes after
    them; see :func:`chainer_fast.functions.scale`.

    Parameters
    ----------
    axis : int
        Axis of the input that the first axis of the weight corresponds to.
    W_shape : tuple of int or None
        Shape of the weight. If None, the link has no weight; the second argument of a
        call is the weight.
    bias_term : bool
        Whether to add a bias.
    bias_shape : tuple of int or None
        Shape of the bias; that of the weight if the link has a weight.

    Attributes
    ----------
    W : chainer_fast.Parameter
        The weight, initially one; only with ``W_shape``.
    bias : chainer_fast.links.Bias
        The bias; only with ``bias_term``.
    axis : int
        As given.

    Raises
    ------
    ValueError
        If the shape of the bias is not known.

    See Also
    --------
    chainer_fast.functions.scale
    chainer_fast.links.Bias

    Examples
    --------
    >>> scale = L.Scale(axis=1, W_shape=(3,), bias_term=True)
    >>> scale(np.ones((2, 3, 5), np.float32)).shape
    (2, 3, 5)

    With the weight as an argument:

    >>> x, W = np.ones((2, 3), np.float32), np.arange(3, dtype=np.float32)
    >>> L.Scale()(x, W).array
    array([[0., 1., 2.],
           [0., 1., 2.]], dtype=float32)
    """

    def __init__(
            self, axis: int = 1, W_shape: tuple[int, ...] | None = None,
            bias_term: bool = False, bias_shape: tuple[int, ...] | None = None) -> None:
        super().__init__()
        learnt = W_shape is not None
        if bias_term and not learnt and bias_shape is None:
            raise ValueError('bias_term needs bias_shape if W_shape is not given')
        self.axis = axis
        with self.init_scope():
            if learnt:
                self.W = variable.Parameter(1, W_shape)
            if bias_term:
                self.bias: Bias = bias.Bias(axis, W_shape if learnt else bias_shape)

    def forward(self, *xs: Any) -> Variable:
        """Multiply by the weight, and add the bias.

        Parameters
        ----------
        *xs : chainer_fast.Variable or array
            The input, followed by the weight if the link has no weight.

        Returns
        -------
        chainer_fast.Variable
            The result, of the shape of the input.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the weight does not have the shape of the axes of the input from ``axis``
            on.
        ValueError
            If the number of arguments is wrong; in debug mode this is an
            AssertionError.
        """
        own = hasattr(self, 'W')
        if is_debug():
            assert len(xs) == 2 - own, (
                'this Scale takes %d argument(s), not %d' % (2 - own, len(xs)))
        x, W = (*xs, self.W) if own else xs
        y = scale.scale(x, W, self.axis)
        return self.bias(y) if hasattr(self, 'bias') else y
