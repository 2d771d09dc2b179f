"""Embedding of integers as vectors."""
from __future__ import annotations

import typing as tp

from chainer_fast import link, variable
from chainer_fast.functions.connection import embed_id
from chainer_fast.initializers import normal
from chainer_fast.types import InitializerSpec, VariableOrArray
from chainer_fast.variable import Variable


class EmbedID(link.Link):
    """Looks vectors up by integer IDs.

    Parameters
    ----------
    in_size : int
        Number of IDs.
    out_size : int
        Length of the vectors.
    initialW : initializer or None
        Initializes the vectors; with standard normal samples if None.
    ignore_label : int or None
        An ID that stands for a vector of zeros.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Vectors, of shape ``(in_size, out_size)``.
    ignore_label : int or None
        As given.
    """

    # Objects pickled by early versions lack this attribute.
    ignore_label = None

    def __init__(
            self, in_size: int, out_size: int, initialW: InitializerSpec | None = None,
            ignore_label: int | None = None) -> None:
        super().__init__()
        init = normal.Normal(1.0) if initialW is None else initialW
        with self.init_scope():
            self.W = variable.Parameter(init, (in_size, out_size))
        self.ignore_label = ignore_label

    def forward(self, x: VariableOrArray) -> Variable:
        """Look vectors up.

        Parameters
        ----------
        x : chainer_fast.Variable or array of int
            IDs.

        Returns
        -------
        chainer_fast.Variable
            Vectors, of shape ``x.shape + (out_size,)``.
        """
        return embed_id.embed_id(x, self.W, ignore_label=self.ignore_label)

    @classmethod
    def from_params(cls, W: VariableOrArray, ignore_label: int | None = None) -> tp.Any:
        """Make an embedding from given vectors.

        Parameters
        ----------
        W : chainer_fast.Variable or array
            Vectors, of shape ``(in_size, out_size)``, which are copied.
        ignore_label : int or None
            An ID that stands for a vector of zeros.

        Returns
        -------
        EmbedID
            The embedding.
        """
        n_ids, length = W.shape
        return cls(n_ids, length, variable.as_array(W), ignore_label)
