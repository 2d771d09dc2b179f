"""Fully connected layer."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

from chainer_fast import initializers, link, variable
from chainer_fast.functions.connection import linear
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec
from chainer_fast.utils import argument, type_check
from chainer_fast.variable import Parameter, Variable, VariableOrArray

_Linear = TypeVar('_Linear', bound='Linear')


class Linear(link.Link):
    """Fully connected layer: ``y = x W^T + b``.

    .. math:: y = x W^\\top + b

    Parameters
    ----------
    in_size : int or None
        Number of inputs. If None, it is determined at the first call, which also
        initializes ``W``.
    out_size : int or None
        Number of outputs. If None, ``in_size`` is the number of outputs.
    nobias : bool
        Whether to omit the bias.
    initialW : initializer or None
        Initializes the weight; :class:`chainer_fast.initializers.LeCunNormal` if None.
    initial_bias : initializer or None
        Initializes the bias; zero if None.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Weight of shape ``(out_size, in_size)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_size,)``.
    in_size, out_size : int
        As given; ``in_size`` remains None if it was left to the first call.

    Raises
    ------
    ValueError
        If an array that initializes a parameter has another shape.
    TypeError
        If there is any other argument, such as ``wscale`` of early versions.

    See Also
    --------
    chainer_fast.functions.linear

    Examples
    --------
    >>> layer = L.Linear(3, 2)
    >>> layer(np.ones((4, 3), np.float32)).shape
    (4, 2)

    The number of inputs can be determined at the first call:

    >>> layer = L.Linear(None, 2)
    >>> layer.W.is_initialized
    False
    >>> layer(np.ones((4, 5, 5), np.float32)).shape
    (4, 2)
    >>> layer.W.shape
    (2, 25)
    """

    in_size: int | None
    out_size: int | None

    @argument.hide_retired
    def __init__(
            self, in_size: int | None, out_size: int | None = None,
            nobias: bool = False, initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None,
            **retired: NoReturn) -> None:
        super().__init__()
        if retired:
            argument.assert_kwargs_empty(retired)
        if nobias is not False:
            argument.check_nobias(nobias)
        if out_size is None:
            in_size, out_size = None, in_size
        self.in_size, self.out_size = in_size, out_size

        weight = variable.Parameter(initializers._get_initializer(initialW))
        with self.init_scope():
            self.W = weight
            if in_size is not None:
                self._initialize_params(in_size)
            if nobias:
                self.b: Parameter | None = None
            else:
                bias = 0 if initial_bias is None else initial_bias
                self.b = variable.Parameter(
                    initializers._get_initializer(bias), out_size)

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        """Sizes, and whether the bias is omitted."""
        yield 'in_size', self.in_size
        yield 'out_size', self.out_size
        yield 'nobias', self.b is None

    def _initialize_params(self, in_size):
        self.W.initialize((self.out_size, in_size))

    def _words_on_error(self, error, args):
        W, x = self.W.array, args[0] if args else None
        if isinstance(error, type_check.InvalidType) and len(args) == 1 and (
                x.ndim > 2 and x.shape[-1] == W.shape[1]):
            return ('x has the shape %s, of which all axes but the first are one row '
                    'of %d elements, and W takes %d: linear(x, n_batch_axes=%d) maps '
                    'the last axis alone' % (
                        x.shape, math.prod(x.shape[1:]), W.shape[1], x.ndim - 1))
        return None

    def forward(self, x: VariableOrArray, n_batch_axes: int = 1) -> Variable:
        """Apply the layer.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, ...)
            Input in the dtype of ``W``; the axes after the first ``n_batch_axes`` are
            flattened, to ``in_size`` elements.
        n_batch_axes : int
            Number of leading axes that are batch axes.

        Returns
        -------
        chainer_fast.Variable
            Output of shape ``x.shape[:n_batch_axes] + (out_size,)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the dtype or the number of elements of ``x`` does not match ``W``, or
            ``x`` has only one axis.
        """
        if self.W.array is None:
            self._initialize_params(math.prod(x.shape[n_batch_axes:]))
        return linear.linear(x, self.W, self.b, n_batch_axes=n_batch_axes)

    @classmethod
    def from_params(
            cls: type[_Linear], W: VariableOrArray, b: VariableOrArray | None = None,
            nobias: bool = False) -> _Linear:
        """Create a layer from given weights.

        Parameters
        ----------
        W : chainer_fast.Variable or array
            Weight of shape ``(out_size, in_size)``, which is copied.
        b : chainer_fast.Variable, array or None
            Bias of shape ``(out_size,)``, which is copied.
        nobias : bool
            Whether to omit the bias.

        Returns
        -------
        Linear
            The layer.

        Raises
        ------
        ValueError
            If ``W`` does not have two axes, or the bias does not have an element for
            each output.

        Examples
        --------
        >>> layer = L.Linear.from_params(np.eye(2, dtype=np.float32))
        >>> layer(np.array([[3, 4]], np.float32)).array
        array([[3., 4.]], dtype=float32)
        """
        out_size, in_size = W.shape
        weight, bias = _filters.given(W, b, {})
        return cls(in_size, out_size, nobias, initialW=weight, initial_bias=bias)
