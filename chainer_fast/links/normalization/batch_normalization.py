"""Batch normalization with parameters and running statistics."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy

from chainer_fast import backend, initializers, link
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.configuration import config
from chainer_fast.functions.normalization import batch_normalization
from chainer_fast.links.normalization import _parameters
from chainer_fast.types import DTypeSpec, InitializerSpec
from chainer_fast.utils import argument
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class BatchNormalization(link.Link):
    """Normalizes batches, then scales and shifts them.

    .. math::

        y = \\gamma \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} + \\beta

    While training (``chainer.config.train`` is true) :math:`\\mu` and :math:`\\sigma^2`
    are the mean and the variance of the batch, see
    :func:`~chainer_fast.functions.batch_normalization`, and the link updates its
    running averages of them. Otherwise the averages are used, see
    :func:`~chainer_fast.functions.fixed_batch_normalization`.

    Parameters
    ----------
    size : int, tuple of int or None
        Shape of the parameters. If None, it is found at the first call, which needs
        ``axis``.
    decay : float
        Weight of the previous averages when a training step updates them.
    eps : float
        Constant added to the variance.
    dtype : dtype specifier or None
        Type of the parameters; ``chainer.config.dtype`` if None. With
        ``chainer.mixed16`` they are in single precision.
    use_gamma, use_beta : bool
        Whether to learn a factor and a summand; otherwise they are one and zero.
    initial_gamma, initial_beta : initializer or None
        Initializers of the factor and the summand; one and zero if None.
    axis : int, tuple of int or None
        Axes to aggregate, in ascending order. By default the first axis, and those
        after the axes of the parameters.
    initial_avg_mean, initial_avg_var : initializer or None
        Initializers of the averages; zero and one if None.

    Attributes
    ----------
    gamma, beta : chainer_fast.Parameter or None
        Factor and summand, of shape ``size``.
    avg_mean, avg_var : array or None
        The averages, of shape ``size``; None until the shape is known. They are saved
        with the link. The variance is the unbiased one.
    N : int
        Number of batches over which the averages were fine-tuned. It is saved, too.
    decay, eps : float
        As given.
    axis : tuple of int or None
        As given.

    Raises
    ------
    RuntimeError
        If neither ``size`` nor ``axis`` is given.

    See Also
    --------
    chainer_fast.functions.batch_normalization
    chainer_fast.functions.fixed_batch_normalization

    References
    ----------
    S. Ioffe and C. Szegedy. `Batch normalization: accelerating deep network training by
    reducing internal covariate shift <https://arxiv.org/abs/1502.03167>`__. ICML 2015.

    Examples
    --------
    >>> bn = L.BatchNormalization(2)
    >>> x = np.array([[0, 10], [2, 30]], np.float32)
    >>> bn(x).array
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    >>> bn.avg_mean
    array([0.1, 2. ], dtype=float32)
    >>> with chainer.using_config('train', False):
    ...     y = bn(x)

    Channels of images:

    >>> bn = L.BatchNormalization(3)
    >>> bn(np.zeros((2, 3, 8, 8), np.float32)).shape
    (2, 3, 8, 8)
    """

    decay: float
    eps: float

    gamma: Parameter | None = None
    beta: Parameter | None = None

    def __init__(
            self, size: int | tuple[int, ...] | None = None, decay: float = 0.9,
            eps: float = 2e-5, dtype: DTypeSpec | None = None, use_gamma: bool = True,
            use_beta: bool = True, initial_gamma: InitializerSpec | None = None,
            initial_beta: InitializerSpec | None = None,
            axis: int | tuple[int, ...] | None = None,
            initial_avg_mean: InitializerSpec | None = None,
            initial_avg_var: InitializerSpec | None = None) -> None:
        super().__init__()
        if size is None and axis is None:
            raise RuntimeError(
                'size or axis is required: either determines the shape of the '
                'parameters')
        self.axis: Any = (axis,) if isinstance(axis, int) else axis
        self.decay, self.eps = decay, eps
        self._highprec_dtype = get_dtype(dtype, map_mixed16=numpy.float32)
        self._initial_avg_mean = initial_avg_mean
        self._initial_avg_var = initial_avg_var
        for name, value in (('avg_mean', None), ('avg_var', None), ('N', 0)):
            setattr(self, name, value)
            self.register_persistent(name)
        with self.init_scope():
            if use_gamma:
                self.gamma = _parameters.make(
                    initial_gamma, 1, self._highprec_dtype)
            if use_beta:
                self.beta = _parameters.make(
                    initial_beta, 0, self._highprec_dtype)
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, size):
        self._initialize_averages(size)
        _parameters.initialize(size, self.gamma, self.beta)

    def _initialize_averages(self, size):
        for name, initial, default in (
                ('avg_mean', self._initial_avg_mean, 0),
                ('avg_var', self._initial_avg_var, 1)):
            initializer = initializers._get_initializer(
                default if initial is None else initial)
            setattr(self, name, initializers.generate_array(
                initializer, size, self.xp, dtype=self._highprec_dtype,
                device=self.device))

    def _initialize_values(self):
        super()._initialize_values()
        self.N = 0
        if self.avg_mean is not None:
            self._initialize_averages(self.avg_mean.shape)

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        """The arguments, as ``repr`` shows them."""
        known = self.avg_mean is not None
        yield 'size', self.avg_mean.shape[0] if known else None
        yield 'decay', self.decay
        yield 'eps', self.eps
        yield 'dtype', self.avg_mean.dtype if known else self._highprec_dtype
        yield 'use_gamma', self.gamma is not None
        yield 'use_beta', self.beta is not None

    def _scale_and_shift(self):
        """Return the factor and the summand, or constants if there are none."""
        gamma, beta = self.gamma, self.beta
        return (
            self._constant(1) if gamma is None else gamma,
            self._constant(0) if beta is None else beta)

    def _constant(self, value):
        with backend.using_device(self.device):
            return self.xp.full(self.avg_mean.shape, value, self._highprec_dtype)

    def forward(
            self, x: VariableOrArray, *, finetune: bool = False,
            **kwargs: NoReturn) -> Variable:
        """Normalize a batch.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            The batch, of a floating dtype, which may differ from that of the
            parameters.
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
        ValueError
            If the retired argument ``test`` is given.
        """
        if kwargs:
            argument.refuse(kwargs, 'test')
        if self.avg_mean is None:
            self._initialize_params(tuple([
                n for i, n in enumerate(x.shape) if i not in self.axis]))
        gamma, beta = self._scale_and_shift()
        if not config.train:
            return batch_normalization.fixed_batch_normalization(
                x, gamma, beta, self.avg_mean, self.avg_var, self.eps, self.axis)

        mean, var, decay = self.avg_mean, self.avg_var, self.decay
        if config.in_recomputing:
            # The first forward pass has already counted the batch.
            mean = var = None
        elif finetune:
            self.N += 1
            decay = 1. - 1. / self.N
        return batch_normalization.batch_normalization(
            x, gamma, beta, eps=self.eps, running_mean=mean, running_var=var,
            decay=decay, axis=self.axis)

    def start_finetuning(self) -> None:
        """Restart the count of batches for the averages."""
        self.N = 0
