"""BlackOut loss with its weights and its sampler."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.functions.loss import black_out
from chainer_fast.links.loss import _sampling
from chainer_fast.variable import Variable, VariableOrArray


class BlackOut(_sampling.SamplingLink):
    """BlackOut loss of many classes, with samples drawn in proportion to their counts.

    .. math::

        L = -\\frac{1}{N} \\sum_n \\Bigl[ \\log p_{t_n}(x_n)
            + \\sum_k \\log (1 - p_{z_{nk}}(x_n)) \\Bigr]

    where :math:`p` is the softmax of the scores :math:`x_n \\cdot w_i` over the target
    :math:`t_n` and the samples of noise :math:`z_{nk}` only. See
    :func:`chainer_fast.functions.black_out`.

    Parameters
    ----------
    in_size : int
        Length of the inputs.
    counts : sequence of int
        Number of times that each class occurs.
    sample_size : int
        Number of samples of noise for each input.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Vectors of the classes, of shape ``(len(counts), in_size)``. They are initially
        NaN: set them before the first call.
    sampler : chainer_fast.utils.WalkerAlias
        Draws samples of noise.
    sample_size : int
        As given.
    sample_data : array or None
        If not None, samples of noise of shape ``(batch, sample_size)`` to use instead
        of new ones.

    See Also
    --------
    chainer_fast.functions.black_out

    References
    ----------
    S. Ji et al. `BlackOut: speeding up recurrent neural network language models with
    very large vocabularies <https://arxiv.org/abs/1511.06909>`__. ICLR 2016.

    Examples
    --------
    >>> loss = L.BlackOut(3, counts=[5, 2, 9, 1], sample_size=2)
    >>> loss.W.array[...] = np.random.randn(4, 3)
    >>> x, t = np.ones((6, 3), np.float32), np.array([0, 2, 2, 1, 0, 3])
    >>> loss(x, t).shape
    ()
    """

    sample_data = None

    def __init__(
            self, in_size: int, counts: Sequence[int], sample_size: int) -> None:
        super().__init__(counts, sample_size, None, in_size)

    def forward(self, x: VariableOrArray, t: VariableOrArray) -> Variable:
        """Compute the loss.

        Parameters
        ----------
        x : Variable or array
            Inputs, of shape ``(batch, in_size)``.
        t : Variable or array of int
            Their classes, of shape ``(batch,)``.

        Returns
        -------
        Variable
            Mean of the losses, a scalar.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If dtypes or shapes do not match, or the classes are not integers.
        IndexError
            If a class is out of range.
        """
        samples = self.sample_data
        if samples is None:
            samples = self.sampler.sample((x.shape[0], self.sample_size))
        return black_out.black_out(x, t, self.W, samples)
