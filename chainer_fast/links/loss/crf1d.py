"""Conditional random field of chains, with its costs."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import link, variable
from chainer_fast.functions.array import transpose_sequence
from chainer_fast.functions.loss import crf1d
from chainer_fast.initializers import _get_initializer, constant
from chainer_fast.links.rnn.n_step_rnn import argsort_list_descent, permutate_list
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class CRF1d(link.Link):
    """Conditional random field of chains of labels.

    .. math::

        L = \\log \\sum_z \\exp(s(z)) - s(y), \\qquad
        s(y) = \\sum_t x_{t, y_t} + \\sum_t c_{y_{t-1}, y_t}

    where the first sum is over all sequences of labels. See
    :func:`chainer_fast.functions.crf1d`.

    Parameters
    ----------
    n_label : int
        Number of labels.
    initial_cost : initializer or None
        Initializes the costs; zero if None.

    Attributes
    ----------
    cost : chainer_fast.Parameter
        Scores of pairs of a label and the next label, of shape ``(n_label, n_label)``.

    See Also
    --------
    chainer_fast.functions.crf1d
    chainer_fast.functions.argmax_crf1d

    References
    ----------
    J. Lafferty, A. McCallum and F. Pereira. `Conditional random fields: probabilistic
    models for segmenting and labeling sequence data
    <https://dl.acm.org/doi/10.5555/645530.655813>`__. ICML 2001.

    Examples
    --------
    Two chains, of three labels and of one:

    >>> crf = L.CRF1d(2)
    >>> xs = [np.array([[3, 0], [0, 3], [3, 0]], np.float32),
    ...       np.zeros((1, 2), np.float32)]
    >>> ys = [np.array([0, 1, 0]), np.array([1])]
    >>> loss = crf(xs, ys, transpose=True)
    >>> round(float(loss.array), 3)
    0.419
    >>> scores, path = crf.argmax(xs, transpose=True)
    >>> [labels.tolist() for labels in path]
    [[0, 1, 0], [0]]
    """

    def __init__(
            self, n_label: int, initial_cost: InitializerSpec | None = None) -> None:
        super().__init__()
        if initial_cost is None:
            initial_cost = constant.Zero()
        with self.init_scope():
            self.cost: Parameter = variable.Parameter(
                _get_initializer(initial_cost), (n_label, n_label))

    def forward(
            self, xs: Sequence[VariableOrArray], ys: Sequence[VariableOrArray],
            reduce: str = 'mean', transpose: bool = False) -> Variable:
        """Compute the negative log-likelihood of labels.

        Parameters
        ----------
        xs : list of Variable or array
            Scores of the labels at each time, of shape ``(batch, n_label)``, with the
            chains sorted from the longest to the shortest. With ``transpose``, scores
            along each chain, of shape ``(length, n_label)``, in any order.
        ys : list of Variable or array of int
            The labels, of the same lengths.
        reduce : str
            ``'mean'`` for the mean over the chains, ``'no'`` for the losses of all
            chains.
        transpose : bool
            Whether an entry of the lists is a chain rather than a time.

        Returns
        -------
        Variable
            The loss: a scalar, or an array of shape ``(batch,)`` with ``reduce='no'``,
            which has the losses of the chains from the longest to the shortest.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If chains are not sorted from the longest to the shortest, or labels are not
            integers.
        ValueError
            If ``reduce`` is unknown, or the number of labels is not that of scores.
        AssertionError
            If the scores are for another number of labels.
        IndexError
            If a label is out of range, or the lists are empty.
        """
        if transpose:
            order = argsort_list_descent(xs)
            xs, ys = [
                transpose_sequence.transpose_sequence(
                    permutate_list(each, order, inv=False))
                for each in (xs, ys)]
        return crf1d.crf1d(self.cost, xs, ys, reduce)

    def argmax(
            self, xs: Sequence[VariableOrArray],
            transpose: bool = False) -> tuple[Any, ...]:
        """Find the most likely labels.

        Parameters
        ----------
        xs : list of Variable or array
            Scores of the labels, as for :meth:`forward`.
        transpose : bool
            Whether an entry of the list is a chain rather than a time.

        Returns
        -------
        tuple
            A Variable of shape ``(batch,)`` with the scores of the best labels, from
            the longest chain to the shortest; and a list of the labels, arrays of
            int32, for each time or each chain, in the order of ``xs``.

        Raises
        ------
        AssertionError
            If the scores are for another number of labels.
        """
        if not transpose:
            return crf1d.argmax_crf1d(self.cost, xs)
        order = argsort_list_descent(xs)
        scores, path = crf1d.argmax_crf1d(
            self.cost, transpose_sequence.transpose_sequence(
                permutate_list(xs, order, inv=False)))
        path = permutate_list(
            transpose_sequence.transpose_sequence(path), order, inv=True)
        return scores, [labels.array for labels in path]
