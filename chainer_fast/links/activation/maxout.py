"""Maxout layer."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from chainer_fast import _numbers, initializer, link
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions.activation import maxout
from chainer_fast.links.connection import linear
from chainer_fast.types import InitializerSpec, NdArray
from chainer_fast.utils import argument
from chainer_fast.variable import Variable, VariableOrArray

if TYPE_CHECKING:
    from chainer_fast.links.connection.linear import Linear


class _Grouped:
    """Initializer that calls another one on an array with an axis for the groups.

    Parameters
    ----------
    initial : callable
        The other initializer.
    pool_size : int
        Size of a group.
    """

    def __init__(self, initial: Callable[..., Any], pool_size: int) -> None:
        self.initial, self.pool_size = initial, pool_size

    def __call__(self, array: NdArray) -> None:
        self.initial(array.reshape(-1, self.pool_size, *array.shape[1:]))


class Maxout(link.Chain):
    """Fully connected layer that keeps the largest of each group of its outputs.

    .. math:: y_i = \\max_{j < p} (W_{ij\\cdot} x + b_{ij})

    Parameters
    ----------
    in_size : int or None
        Number of inputs, determined at the first call if None.
    out_size : int
        Number of outputs.
    pool_size : int
        Number :math:`p` of linear functions; each output is the largest of them.
    initialW : initializer or None
        Initializes the weight. An array must have the shape ``(out_size, pool_size,
        in_size)``. A callable that is not a :class:`chainer_fast.Initializer` receives
        an array of the same shape.
    initial_bias : initializer or None
        Initializes the bias in the same way, with the shape ``(out_size, pool_size)``.
        None means that there is no bias.

    Attributes
    ----------
    linear : chainer_fast.links.Linear
        The linear functions; those of one output are adjacent.
    out_size, pool_size : int
        As given.

    Raises
    ------
    ValueError
        If an array has the wrong number of axes or elements.

    See Also
    --------
    chainer_fast.functions.maxout

    References
    ----------
    I. J. Goodfellow et al. `Maxout networks <https://arxiv.org/abs/1302.4389>`__. ICML
    2013.

    Examples
    --------
    >>> layer = L.Maxout(3, 4, pool_size=2)
    >>> layer(np.ones((5, 3), np.float32)).shape
    (5, 4)
    >>> layer.linear.W.shape
    (8, 3)
    """

    out_size: int
    pool_size: int

    @argument.hide_retired
    def __init__(
            self, in_size: int | None, out_size: int, pool_size: int,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = 0, **retired: NoReturn) -> None:
        super().__init__()
        if retired:
            argument.assert_kwargs_empty(retired)
        out_size, pool_size = _numbers.plain_all((out_size, pool_size))
        self.out_size, self.pool_size = out_size, pool_size
        columns = -1 if in_size is None else in_size
        weight = self._regrouped('initialW', initialW, 3, columns)
        bias = self._regrouped('initial_bias', initial_bias, 2)
        with self.init_scope():
            self.linear: Linear = linear.Linear(
                in_size, out_size * pool_size, bias is None, weight, bias)

    def _regrouped(self, name, initial, ndim, *columns):
        """Return the initializer of a parameter with all functions on one axis."""
        if isinstance(initial, get_array_types()):
            if initial.ndim != ndim:
                raise ValueError('%s.ndim should be %d, got an array of shape %s'
                                 % (name, ndim, initial.shape))
            return initial.reshape(self.out_size * self.pool_size, *columns)
        if callable(initial) and not isinstance(initial, initializer.Initializer):
            return _Grouped(initial, self.pool_size)
        return initial

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the layer.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            Input; the axes after the first one are flattened.

        Returns
        -------
        chainer_fast.Variable
            Output of shape ``(n, out_size)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype or number of elements, or only one axis.
        """
        return maxout.maxout(self.linear(x), self.pool_size)
