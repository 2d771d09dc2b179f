"""Batch normalization over the batches of all processes."""
from __future__ import annotations

import copy
from typing import Any

import numpy

from chainer_fast import backend, link
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.configuration import config
from chainer_fast.functions.normalization import batch_normalization
from chainer_fast.links.normalization import _parameters
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.functions import batch_normalization as mn_batch_normalization
from chainer_fast.types import DTypeSpec, InitializerSpec, NdArray
from chainer_fast.utils.experimental import experimental
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class MultiNodeBatchNormalization(link.Link):
    """Normalizes batches by the moments of the batches of all processes.

    In training mode, this is :class:`chainer_fast.links.BatchNormalization` on the
    concatenated batches: the mean and variance, and the gradients through them, are
    those of all processes. Every process must call the link, and run the backward
    pass. In test mode, the running averages replace the moments, and processes do not
    communicate.

    Parameters
    ----------
    size : int or tuple of int
        Shape of the parameters.
    comm : CommunicatorBase
        The processes.
    decay : float
        Fraction of the averages that a training step keeps.
    eps : float
        Constant added to the variance.
    dtype : dtype specifier or None
        Type of the parameters; ``chainer.config.dtype`` if None. With
        ``chainer.mixed16`` they are in single precision.
    use_gamma, use_beta : bool
        Whether to learn the scale and the shift; otherwise they are one and zero.
    initial_gamma, initial_beta : initializer or None
        Initializers of them; one and zero if None.
    communication_backend : {'auto', 'mpi', 'nccl'}
        Library that computes the sums; see
        :func:`chainer_fast.mn.functions.batch_normalization.get_communication_backend`.

    Attributes
    ----------
    comm : CommunicatorBase
        As given.
    gamma, beta : chainer.Parameter or None
        Scale and shift.
    avg_mean, avg_var : array
        The running averages, both initially zero. The unbiased variance of each
        process is based on the number of samples in its batch.
    N : int
        Number of batches over which the averages were fine-tuned.
    decay, eps : float
        As given.

    Raises
    ------
    ValueError
        If the communicator does not support the backend.

    Examples
    --------
    ::

        bn = chainermn.links.MultiNodeBatchNormalization(64, comm)
    """

    decay: float
    eps: float

    gamma: Parameter | None = None
    beta: Parameter | None = None
    # Attributes of a link that create_mnbn_model() replaced.
    _axis = None

    def __init__(
            self, size: int | tuple[int, ...], comm: CommunicatorBase,
            decay: float = 0.9, eps: float = 2e-5, dtype: DTypeSpec | None = None,
            use_gamma: bool = True, use_beta: bool = True,
            initial_gamma: InitializerSpec | None = None,
            initial_beta: InitializerSpec | None = None,
            communication_backend: str = 'auto') -> None:
        experimental('chainermn.links.MultiNodeBatchNormalization')
        super().__init__()
        self._communication_backend = (
            mn_batch_normalization.get_communication_backend(
                comm, communication_backend))
        self.comm = comm
        self.decay, self.eps = decay, eps
        self._highprec_dtype = get_dtype(dtype, map_mixed16=numpy.float32)
        self.avg_mean: NdArray = numpy.zeros(size, self._highprec_dtype)
        self.avg_var: NdArray = numpy.zeros(size, self._highprec_dtype)
        self.N = 0
        for name in ('avg_mean', 'avg_var', 'N'):
            self.register_persistent(name)
        with self.init_scope():
            if use_gamma:
                self.gamma = _parameters.make(initial_gamma, 1, self._highprec_dtype)
            if use_beta:
                self.beta = _parameters.make(initial_beta, 0, self._highprec_dtype)
        _parameters.initialize(size, self.gamma, self.beta)

    def __deepcopy__(self, memo: dict[int, Any]) -> MultiNodeBatchNormalization:
        # Processes cannot be copied.
        memo[id(self.comm)] = self.comm
        memo[id(self)] = clone = copy.copy(self)
        for name, value in vars(self).items():
            clone.__dict__[name] = copy.deepcopy(value, memo)
        return clone

    def _initialize_values(self):
        super()._initialize_values()
        self.N = 0
        with backend.using_device(self.device):
            for average in (self.avg_mean, self.avg_var):
                average[...] = 0

    def _or_constant(self, parameter, value):
        if parameter is not None:
            return parameter
        with backend.using_device(self.device):
            return self.xp.full(self.avg_mean.shape, value, self._highprec_dtype)

    def forward(self, x: VariableOrArray, finetune: bool = False) -> Variable:
        """Normalize a batch.

        Parameters
        ----------
        x : chainer.Variable or array
            The batch of this process. The others may be longer or shorter.
        finetune : bool
            Whether the averages are plain averages over all batches since
            :meth:`start_finetuning`. Ignored outside training mode.

        Returns
        -------
        chainer.Variable
            Array of the shape and dtype of ``x``.
        """
        gamma = self._or_constant(self.gamma, 1)
        beta = self._or_constant(self.beta, 0)
        if not config.train:
            return batch_normalization.fixed_batch_normalization(
                x, gamma, beta, self.avg_mean, self.avg_var, self.eps, self._axis)

        mean, var, decay = self.avg_mean, self.avg_var, self.decay
        if config.in_recomputing:
            # The batch was counted in the first forward pass.
            mean = var = None
        elif finetune:
            self.N += 1
            decay = 1. - 1. / self.N
        return batch_normalization.batch_normalization(
            x, gamma, beta, eps=self.eps, running_mean=mean, running_var=var,
            decay=decay, axis=self._axis,
            impl_selector=mn_batch_normalization.MultiNodeBNImplSelector(
                self.comm, self._communication_backend))

    def start_finetuning(self) -> None:
        """Restart the count of batches for the averages."""
        self.N = 0
