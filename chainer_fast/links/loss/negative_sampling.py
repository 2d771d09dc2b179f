"""Negative sampling loss with its weights and its sampler."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.functions.loss import negative_sampling
from chainer_fast.links.loss import _sampling
from chainer_fast.types import DTypeSpec
from chainer_fast.variable import Variable, VariableOrArray


def _flattened(counts, power, dtype):
    """Return the weights of the classes: their counts raised to a power below one.

    The power is computed in double precision and rounded. In other precisions, NumPy's
    last bits depend on the version and the machine, and so would the samples.
    """
    with numpy.errstate(over='ignore'):
        exact = numpy.array(counts, dtype).astype(numpy.float64)
    if numpy.isinf(exact).any():
        # Counts of words are often too large for float16.
        dtype = numpy.dtype(numpy.float32)
        exact = numpy.array(counts, numpy.float64)
    return (exact ** float(dtype.type(power))).astype(dtype)


class NegativeSampling(_sampling.SamplingLink):
    """Negative sampling loss of many classes.

    .. math::

        L_n = -\\log \\sigma(x_n \\cdot w_{t_n})
            - \\sum_k \\log \\sigma(-x_n \\cdot w_{z_{nk}})

    where the samples of noise :math:`z_{nk}` are drawn in proportion to a power of the
    classes' counts. See :func:`chainer_fast.functions.negative_sampling`.

    Parameters
    ----------
    in_size : int
        Length of the inputs.
    counts : sequence of int
        Number of times that each class occurs.
    sample_size : int
        Number of samples of noise for each input.
    power : float
        The power of the counts.
    dtype : dtype specifier or None
        dtype in which the power is computed; ``chainer_fast.config.dtype`` if None.
        ``W`` always has the dtype of the configuration.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Vectors of the classes, of shape ``(len(counts), in_size)``, initially zero.
    sampler : chainer_fast.utils.WalkerAlias
        Draws samples of noise.
    sample_size : int
        As given.

    See Also
    --------
    chainer_fast.functions.negative_sampling

    References
    ----------
    T. Mikolov et al. `Distributed representations of words and phrases and their
    compositionality <https://arxiv.org/abs/1310.4546>`__. NIPS 2013.

    Examples
    --------
    >>> loss = L.NegativeSampling(3, counts=[5, 2, 9, 1], sample_size=2)
    >>> x, t = np.ones((2, 3), np.float32), np.array([0, 2], np.int32)
    >>> loss(x, t).shape
    ()

    The vectors are initially zero, so that each of three scores costs :math:`\\log 2`:

    >>> loss(x, t, reduce='no').array
    array([2.0794, 2.0794], dtype=float32)
    """

    def __init__(
            self, in_size: int, counts: Sequence[int], sample_size: int,
            power: float = 0.75, dtype: DTypeSpec | None = None) -> None:
        weights = _flattened(counts, power, get_dtype(dtype))
        super().__init__(weights, sample_size, 0, in_size)

    def forward(
            self, x: VariableOrArray, t: VariableOrArray, reduce: str = 'sum', *,
            return_samples: bool = False) -> Variable | tuple[Any, ...]:
        """Compute the loss.

        Parameters
        ----------
        x : Variable or array
            Inputs, of shape ``(batch, in_size)``.
        t : Variable or array of int32
            Their classes, of shape ``(batch,)``; -1 for inputs to ignore.
        reduce : str
            ``'sum'`` for the sum over all inputs, ``'no'`` for the losses of all
            inputs.
        return_samples : bool
            Whether to return the samples of noise, too.

        Returns
        -------
        Variable or tuple
            The loss: a scalar, or an array of shape ``(batch,)`` with ``reduce='no'``.
            With ``return_samples``, also an array of int32 and shape
            ``(batch, sample_size + 1)`` with the class and the samples in each row.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the classes are not an array of int32, or their number is not that of the
            inputs.
        ValueError
            If ``reduce`` is unknown, or the length of the inputs is wrong.
        IndexError
            If a class is out of range.
        """
        return negative_sampling.negative_sampling(
            x, t, self.W, self.sampler.sample, self.sample_size, reduce=reduce,
            return_samples=return_samples)
