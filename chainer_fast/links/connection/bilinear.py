"""Bilinear layer: products of two inputs, with parameters."""
from __future__ import annotations

from chainer_fast import initializers, link, variable
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions.connection import bilinear
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray


class Bilinear(link.Link):
    """Layer that is linear in each of its two inputs, plus linear terms and a bias.

    .. math:: y_l = \\sum_{jk} x_j z_k W_{jkl}
        + \\sum_j x_j V^1_{jl} + \\sum_k z_k V^2_{kl} + b_l

    The inputs must have the dtype of the parameters. See
    :func:`chainer_fast.functions.bilinear`.

    Parameters
    ----------
    left_size, right_size : int
        Number of elements in the first and the second input.
    out_size : int
        Number of outputs.
    nobias : bool
        Whether to omit the linear terms and the bias.
    initialW : initializer or None
        Initializes ``W``; :class:`chainer_fast.initializers.LeCunNormal` if None.
    initial_bias : tuple of initializers or None
        Initializers of ``V1``, ``V2`` and ``b``; ``b`` is zero if its initializer is
        None.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Weight of the products, of shape ``(left_size, right_size, out_size)``.
    V1, V2 : chainer_fast.Parameter
        Weights of the inputs, of shape ``(left_size, out_size)`` and
        ``(right_size, out_size)``; only without ``nobias``.
    b : chainer_fast.Parameter
        Bias of shape ``(out_size,)``; only without ``nobias``.
    in_sizes : tuple of int
        ``(left_size, right_size)``.
    nobias : bool
        As given.

    Raises
    ------
    AssertionError
        If an initial value is an array of another shape.
    ValueError
        If ``initial_bias`` is not a tuple of three.

    See Also
    --------
    chainer_fast.functions.bilinear

    References
    ----------
    R. Socher et al. `Reasoning with neural tensor networks for knowledge base
    completion <https://papers.nips.cc/paper/5028>`__. NIPS 2013.

    Examples
    --------
    >>> layer = L.Bilinear(3, 4, 5)
    >>> layer(np.ones((2, 3), np.float32), np.ones((2, 4), np.float32)).shape
    (2, 5)
    """

    def __init__(
            self, left_size: int, right_size: int, out_size: int, nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: tuple[InitializerSpec | None, ...] | None = None) -> None:
        super().__init__()
        self.in_sizes: tuple[int, int] = left_size, right_size
        self.nobias = nobias
        with self.init_scope():
            self.W = _parameter('initialW', initialW, (*self.in_sizes, out_size))
            if nobias:
                return
            if initial_bias is None:
                initial_bias = None, None, 0
            elif not isinstance(initial_bias, tuple):
                raise ValueError(
                    'initial_bias must be tuple or None: initializers of V1, V2 and b, '
                    'got %s' % type(initial_bias))
            terms = ('V1', left_size), ('V2', right_size), ('b', None)
            for (name, size), initial in zip(terms, initial_bias, strict=True):
                shape = (out_size,) if size is None else (size, out_size)
                setattr(self, name, _parameter(name, initial, shape))

    def forward(self, e1: VariableOrArray, e2: VariableOrArray) -> Variable:
        """Apply the layer.

        Parameters
        ----------
        e1, e2 : chainer_fast.Variable or array
            Inputs of shapes ``(n, left_size)`` and ``(n, right_size)``; axes after the
            first one are flattened.

        Returns
        -------
        chainer_fast.Variable
            Output of shape ``(n, out_size)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the inputs differ in their first axis, or have another dtype or number of
            elements.
        """
        linear_terms = () if self.nobias else (self.V1, self.V2, self.b)
        return bilinear.bilinear(e1, e2, self.W, *linear_terms)

    def zero_grads(self) -> None:
        """Fill the gradients with zeros; an older name of :meth:`zerograds`."""
        self.zerograds()


def _parameter(name, initial, shape):
    if isinstance(initial, get_array_types()):
        assert initial.shape == shape, (
            '%s must have the shape %s, got %s' % (name, shape, initial.shape))
    return variable.Parameter(initializers._get_initializer(initial), shape)
