"""Multi-head attention: an addition of this package, which Chainer does not have."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from chainer_fast import link
from chainer_fast.functions.activation import softmax
from chainer_fast.functions.array import reshape, transpose, where
from chainer_fast.functions.math import matmul
from chainer_fast.functions.noise import dropout as dropout_
from chainer_fast.links.connection import linear
from chainer_fast.types import InitializerSpec
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable, VariableOrArray, as_array


class MultiHeadAttention(link.Chain):
    """Multi-head attention, as in Transformers. Chainer does not have it.

    .. math::

        h_i = \\text{softmax}\\left(
            \\frac{(x_q W_i^{Q\\top}) (x_k W_i^{K\\top})^\\top}{\\sqrt d}
        \\right) x_v W_i^{V\\top}, \\quad
        y = [h_1, \\ldots, h_n]\\, W^{O\\top}

    with a bias after each product with a weight, and :math:`d` the length of the
    vectors in a head, ``out_size / n_heads``.

    Parameters
    ----------
    n_heads : int
        Number of heads.
    in_size : int or None
        Length of the vectors of the query. If None, all sizes of inputs are found at
        the first call.
    out_size : int or None
        Length of the outputs, a multiple of ``n_heads``; ``in_size`` if None.
    dropout : float
        Ratio of the weights of the attention that are dropped in training.
    nobias : bool
        Leave out the biases.
    initialW : initializer or None
        Initializes the weights; :class:`chainer_fast.initializers.LeCunNormal` if None.
    initial_bias : initializer or None
        Initializes the biases; zero if None.
    key_size, value_size : int or None
        Lengths of the vectors of key and value; ``in_size`` and ``key_size`` if None.
        Keyword arguments.

    Attributes
    ----------
    query, key, value, out : chainer_fast.links.Linear
        The four linear maps. The heads are consecutive parts of the outputs of the
        first three.
    n_heads : int
        As given.
    dropout : float
        As given.

    Raises
    ------
    ValueError
        If ``out_size`` is not a multiple of ``n_heads``, or not known.

    References
    ----------
    A. Vaswani et al. `Attention is all you need <https://arxiv.org/abs/1706.03762>`__.
    NIPS 2017.

    Examples
    --------
    Attention of five places to themselves, and to those before them alone:

    >>> attention = L.MultiHeadAttention(2, 8)
    >>> x = np.zeros((3, 5, 8), np.float32)
    >>> attention(x).shape
    (3, 5, 8)
    >>> attention(x, mask=np.tri(5, dtype=bool)).shape
    (3, 5, 8)

    Attention of five places to seven others:

    >>> attention(x, np.zeros((3, 7, 8), np.float32)).shape
    (3, 5, 8)
    """

    def __init__(
            self, n_heads: int, in_size: int | None, out_size: int | None = None,
            dropout: float = 0., nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None, *,
            key_size: int | None = None, value_size: int | None = None) -> None:
        super().__init__()
        out_size = in_size if out_size is None else out_size
        if out_size is None:
            raise ValueError('out_size must be given if in_size is None')
        if n_heads < 1 or out_size % n_heads:
            raise ValueError(
                'out_size must be a multiple of n_heads, but is %r, with n_heads=%r' % (
                    out_size, n_heads))
        key_size = in_size if key_size is None else key_size
        value_size = key_size if value_size is None else value_size
        self.n_heads, self.dropout = n_heads, dropout
        self.query: linear.Linear
        self.key: linear.Linear
        self.value: linear.Linear
        self.out: linear.Linear
        for name, size in (('query', in_size), ('key', key_size),
                           ('value', value_size), ('out', out_size)):
            self.add_link(name, linear.Linear(
                size, out_size, nobias, initialW, initial_bias))

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        """Number of heads, and the ratio of the dropout."""
        yield 'n_heads', self.n_heads
        yield 'dropout', self.dropout

    def forward(
            self, query: VariableOrArray, key: VariableOrArray | None = None,
            value: VariableOrArray | None = None,
            mask: VariableOrArray | None = None) -> Variable:
        """Apply the link.

        Parameters
        ----------
        query : chainer_fast.Variable or array, shape (n, q, in_size)
            A batch of ``n`` sequences of ``q`` vectors.
        key : chainer_fast.Variable or array, shape (n, k, key_size), optional
            The sequences attended to; ``query`` if None.
        value : chainer_fast.Variable or array, shape (n, k, value_size), optional
            What is averaged; ``key`` if None.
        mask : array of bool, optional
            Whether a place of the query attends to a place of the key. Its shape is
            ``(q, k)``, ``(n, q, k)`` or ``(n, n_heads, q, k)``, where each length may
            be 1. A place that attends to none gets the average of all values.

        Returns
        -------
        chainer_fast.Variable
            Sequences of shape ``(n, q, out_size)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If an argument does not have three axes, the arguments differ in dtype or
            batch size, key and value in length, or
            their sizes are not those of the parameters.
        """
        key = query if key is None else key
        value = key if value is None else value
        for name, x in ('query', query), ('key', key), ('value', value):
            if x.ndim != 3:
                raise type_check.InvalidType(
                    '%s.ndim == 3' % (name,),
                    '%s.shape == %s, where (batch, length, size) is expected' % (
                        name, x.shape))
        q = self._heads(self.query(query, n_batch_axes=2))
        k = self._heads(self.key(key, n_batch_axes=2))
        v = self._heads(self.value(value, n_batch_axes=2))
        # The smaller operand is scaled: a number for each element of a vector.
        scores = matmul.matmul(q * q.shape[-1] ** -.5, k, transb=True)
        if mask is not None:
            mask = as_array(mask)
            if mask.ndim == 3:
                mask = mask[:, None]
            least = numpy.finfo(scores.dtype).min
            scores = where.where(
                mask, scores, self.xp.full((), least, scores.dtype))
        weights = softmax.softmax(scores, axis=3)
        if self.dropout:
            weights = dropout_.dropout(weights, self.dropout)
        y = transpose.transpose(matmul.matmul(weights, v), (0, 2, 1, 3))
        return self.out(
            reshape.reshape(y, (*y.shape[:2], y.shape[2] * y.shape[3])), n_batch_axes=2)

    def _heads(self, x):
        """Return vectors of shape (n, length, size) as (n, head, length, part)."""
        n, length, size = x.shape
        parts = reshape.reshape(x, (n, length, self.n_heads, size // self.n_heads))
        return transpose.transpose(parts, (0, 2, 1, 3))
