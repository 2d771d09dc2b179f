"""Batch renormalization with parameters and running statistics."""
from __future__ import annotations

from typing import Any

from chainer_fast.configuration import config
from chainer_fast.functions.normalization import batch_renormalization
from chainer_fast.functions.normalization.batch_normalization import (
    fixed_batch_normalization,
)
from chainer_fast.links.normalization.batch_normalization import BatchNormalization
from chainer_fast.types import DTypeSpec, InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray


class BatchRenormalization(BatchNormalization):
    """Normalizes batches, with corrections towards running statistics.

    .. math::

        y = \\gamma \\left( \\frac{x - \\mu}{\\sigma} r + d \\right) + \\beta, \\qquad
        r = \\frac{\\sigma}{\\sigma_\\mathrm{run}}, \\quad
        d = \\frac{\\mu - \\mu_\\mathrm{run}}{\\sigma_\\mathrm{run}}

    While training (``chainer.config.train`` is true) :math:`\\mu` and :math:`\\sigma`
    are those of the batch; :math:`r` and :math:`d`, which are clipped, correct the
    result towards that of the running averages; see
    :func:`~chainer_fast.functions.batch_renormalization`. Otherwise the running
    averages replace the moments of the batch, as in batch normalization.

    Parameters
    ----------
    size : int or tuple of int
        Shape of the parameters: that of the axes of the input after the first one. Any
        additional axes of the input are aggregated like the first one.
    rmax, dmax : float
        Bounds of the corrections: the factor is between ``1 / rmax`` and ``rmax``,
        the summand between ``-dmax`` and ``dmax``. The defaults allow no correction, so
        that the result equals that of batch normalization.
    decay : float
        Weight of the previous averages when a training step updates them.
    eps : float
        Constant added to the variance.
    dtype : dtype specifier or None
        Type of the parameters, as for :class:`BatchNormalization`.
    use_gamma, use_beta : bool
        Whether to learn a factor and a summand; otherwise they are one and zero.
    initial_gamma, initial_beta : initializer or None
        Initializers of the factor and the summand; one and zero if None.
    initial_avg_mean, initial_avg_var : initializer or None
        Initializers of the averages; zero and one if None.

    Attributes
    ----------
    rmax, dmax : float
        As given; they may be changed during training.
    r, d
        None; the corrections are attributes of the function.
    gamma, beta, avg_mean, avg_var, N, decay, eps
        As for :class:`BatchNormalization`.

    See Also
    --------
    chainer_fast.functions.batch_renormalization
    chainer_fast.links.BatchNormalization

    References
    ----------
    S. Ioffe. `Batch renormalization: towards reducing minibatch dependence in
    batch-normalized models <https://arxiv.org/abs/1702.03275>`__. NIPS 2017.

    Examples
    --------
    >>> brn = L.BatchRenormalization(3, rmax=3, dmax=5)
    >>> x = np.random.randn(4, 3).astype(np.float32)
    >>> brn(x).shape
    (4, 3)

    The bounds usually start at one and zero, and grow as the averages settle:

    >>> brn.rmax, brn.dmax = 4, 6
    """

    rmax: float
    dmax: float
    r: Any
    d: Any

    # The averages before the last call that did not keep its results.
    _before_recomputing = None

    def __init__(
            self, size: int | tuple[int, ...], rmax: float = 1, dmax: float = 0,
            decay: float = 0.9, eps: float = 2e-5, dtype: DTypeSpec | None = None,
            use_gamma: bool = True, use_beta: bool = True,
            initial_gamma: InitializerSpec | None = None,
            initial_beta: InitializerSpec | None = None,
            initial_avg_mean: InitializerSpec | None = None,
            initial_avg_var: InitializerSpec | None = None) -> None:
        self.rmax, self.dmax = rmax, dmax
        self.r = self.d = None
        super().__init__(
            size=size, decay=decay, eps=eps, dtype=dtype, use_gamma=use_gamma,
            initial_gamma=initial_gamma, use_beta=use_beta, initial_beta=initial_beta,
            initial_avg_mean=initial_avg_mean, initial_avg_var=initial_avg_var)

    def _initialize_values(self):
        super()._initialize_values()
        self._before_recomputing = None

    def forward(  # type: ignore[override]
            self, x: VariableOrArray, finetune: bool = False) -> Variable:
        """Normalize a batch.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            The batch.
        finetune : bool
            Whether the averages become plain averages over all batches since
            :meth:`start_finetuning`. Ignored outside of training.

        Returns
        -------
        chainer_fast.Variable
            Array of the shape and dtype of ``x``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the batch is not of a floating dtype, or does not have the axes of the
            parameters.
        """
        gamma, beta = self._scale_and_shift()
        mean, var = self.avg_mean, self.avg_var
        if not config.train:
            return fixed_batch_normalization(x, gamma, beta, mean, var, self.eps)

        decay = self.decay
        again = config.in_recomputing
        if again:
            # The corrections must be those of the first forward pass.
            mean, var = self._before_recomputing or (mean, var)
        else:
            if config._will_recompute:
                self._before_recomputing = mean.copy(), var.copy()
            if finetune:
                self.N += 1
                decay = 1. - 1. / self.N
        return batch_renormalization.batch_renormalization(
            x, gamma, beta, self.rmax, self.dmax, self.eps, mean, var, decay,
            update_statistics=not again)
