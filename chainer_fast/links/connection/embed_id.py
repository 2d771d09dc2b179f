"""Embedding of integers as vectors."""
from __future__ import annotations

from typing import TypeVar

from chainer_fast import link, variable
from chainer_fast.functions.connection import embed_id
from chainer_fast.initializers import normal
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray

_EmbedID = TypeVar('_EmbedID', bound='EmbedID')


class EmbedID(link.Link):
    """Looks up vectors by integer IDs.

    .. math:: y_i = W_{x_i}

    The result equals the product of one-hot rows and ``W``, without computing the rows.

    Parameters
    ----------
    in_size : int
        Number of IDs.
    out_size : int
        Length of the vectors.
    initialW : initializer or None
        Initializes the vectors; standard normal samples if None.
    ignore_label : int or None
        ID that is mapped to a vector of zeros.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Vectors, of shape ``(in_size, out_size)``.
    ignore_label : int or None
        As given.

    See Also
    --------
    chainer_fast.functions.embed_id

    Examples
    --------
    >>> embed = L.EmbedID(3, 2, initialW=np.array([[1, 2], [3, 4], [5, 6]], np.float32))
    >>> embed(np.array([2, 0])).array
    array([[5., 6.],
           [1., 2.]], dtype=float32)

    Sentences that are padded with -1, whose vector is zero:

    >>> embed = L.EmbedID(10, 4, ignore_label=-1)
    >>> embed(np.array([[7, 2, 9], [5, -1, -1]])).shape
    (2, 3, 4)
    """

    # Objects pickled by early versions lack this attribute.
    ignore_label: int | None = None

    def __init__(
            self, in_size: int, out_size: int, initialW: InitializerSpec | None = None,
            ignore_label: int | None = None) -> None:
        super().__init__()
        init = normal.Normal(1.0) if initialW is None else initialW
        with self.init_scope():
            self.W = variable.Parameter(init, (in_size, out_size))
        self.ignore_label = ignore_label

    def forward(self, x: VariableOrArray) -> Variable:
        """Look up vectors.

        Parameters
        ----------
        x : chainer_fast.Variable or array of int
            IDs from 0 to ``in_size - 1``, or ``ignore_label``, in an array of any
            shape. Negative IDs count from the end.

        Returns
        -------
        chainer_fast.Variable
            Vectors, of shape ``x.shape + (out_size,)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` is not an array of integers.
        IndexError
            If an ID is too large.
        """
        return embed_id.embed_id(x, self.W, ignore_label=self.ignore_label)

    @classmethod
    def from_params(
            cls: type[_EmbedID], W: VariableOrArray,
            ignore_label: int | None = None) -> _EmbedID:
        """Create an embedding from given vectors.

        Parameters
        ----------
        W : chainer_fast.Variable or array
            Vectors, of shape ``(in_size, out_size)``, which are copied.
        ignore_label : int or None
            ID that is mapped to a vector of zeros.

        Returns
        -------
        EmbedID
            The embedding.

        Raises
        ------
        ValueError
            If ``W`` does not have two axes.
        """
        n_ids, length = W.shape
        return cls(n_ids, length, variable.as_array(W), ignore_label)
