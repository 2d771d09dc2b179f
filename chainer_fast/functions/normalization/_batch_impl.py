"""The default implementation of batch normalization, which extensions may replace."""
from __future__ import annotations

from typing import Any

from chainer_fast import utils
from chainer_fast._core.graphs.graph import Methods
from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.types import DTypeSpec, NdArray, Xp


def _x_hat(x, mean, inv_std):
    """Return normalized values."""
    return (x - mean) * inv_std


class _BatchNormalizationImpl:
    """Base of implementations, such as one that uses several machines.

    A subclass defines methods ``forward`` and ``backward`` like those of
    :class:`GeneralBatchNormalizationImpl`.
    """


class _CudnnBatchNormalizationImpl(_BatchNormalizationImpl):
    """Unused here; programs check whether a function has an object of this class."""


class _IDeepBatchNormalizationImpl(_BatchNormalizationImpl):
    """Unused here; programs check whether a function has an object of this class."""


class GeneralBatchNormalizationImpl(_BatchNormalizationImpl):
    """Normalization of batches on any device.

    A subclass may provide other statistics and sums, such as those over several
    machines, by overriding :meth:`get_mean_and_var` and :meth:`get_ggamma_and_gbeta`.
    """

    def forward(
            self, axis: tuple[int, ...], gamma: NdArray, x: NdArray, x_layout: Any,
            xp: Xp, expander: tuple[Any, ...], beta: NdArray, eps: float,
            decay: float, running_mean: NdArray | None,
            running_var: NdArray | None) -> tuple[Any, ...]:
        """Normalize a batch and update the running statistics.

        Parameters
        ----------
        axis : tuple of int
            Axes to aggregate.
        gamma, x, beta : array
            Inputs of the function.
        x_layout : object
            Layout of ``x``.
        xp : module
            Module of the arrays.
        expander : tuple
            Index that broadcasts parameters to ``x``.
        eps, decay : float
            Constant added to the variance, and weight of the previous running
            statistics in an update.
        running_mean, running_var : array or None
            Statistics to update.

        Returns
        -------
        tuple
            Output and its layout; running mean and variance; mean, variance and
            reciprocal of the standard deviation of the batch; and any other values that
            :meth:`backward` needs.
        """
        if running_mean is not None and running_var is None:
            raise TypeError('running_var is required if running_mean is given')
        running = ()
        if running_mean is not None and x.size > 0:
            count = x.size // max(gamma.size, 1)
            running = running_mean, running_var, decay, count / max(count - 1., 1.)
        if self._is_plain and running:
            y, mean, var, inv_std = kernels.batch_forward_running(
                x, gamma, beta, axis, eps, *running)
        elif self._is_plain:
            y, mean, var, inv_std = kernels.batch_forward(x, gamma, beta, axis, eps)
        else:
            mean, var = self.get_mean_and_var(
                axis, gamma, x, xp, _dtypes.interm(x, gamma))
            inv_std = utils.force_array(
                xp.reciprocal(xp.sqrt(var + var.dtype.type(eps))))
            y = kernels.batch_apply(x, gamma, beta, mean, inv_std, axis)
            if running:
                kernels.update_running(*running[:2], mean, var, *running[2:])
        return y, x_layout, running_mean, running_var, mean, var, inv_std, None

    @property
    def _is_plain(self):
        """Return whether no subclass overrides the statistics and the sums."""
        return _STATISTICS.held_by(self)

    def get_mean_and_var(
            self, axis: tuple[int, ...], gamma: NdArray, x: NdArray, xp: Xp,
            interm_dtype: DTypeSpec) -> tuple[NdArray, ...]:
        """Compute the moments of a batch.

        Parameters
        ----------
        axis : tuple of int
            Axes to aggregate.
        gamma, x : array
            Inputs of the function.
        xp : module
            Module of the arrays.
        interm_dtype : dtype
            Type of the moments.

        Returns
        -------
        tuple of array
            Mean and variance.
        """
        return kernels.moments(*_dtypes.cast_all((x,), interm_dtype), axis)

    def get_ggamma_and_gbeta(
            self, axis: tuple[int, ...], gamma: NdArray, gy: NdArray, x_hat: NdArray,
            xp: Xp) -> tuple[NdArray, ...]:
        """Compute the gradients of the parameters.

        Parameters
        ----------
        axis : tuple of int
            Axes to aggregate.
        gamma, gy : array
            Factors and gradient of the output.
        x_hat : array
            Normalized values.
        xp : module
            Module of the arrays.

        Returns
        -------
        tuple of array
            Gradients of ``beta`` and of ``gamma``, in this order.
        """
        gbeta = gy.sum(axis=axis, dtype=x_hat.dtype)
        ggamma = (gy * x_hat).sum(axis=axis)
        return utils.force_array(gbeta), utils.force_array(ggamma)

    def backward(
            self, axis: tuple[int, ...], gamma: NdArray, gy: NdArray, x: NdArray,
            x_layout: Any, xp: Xp, expander: tuple[Any, ...], mean: NdArray,
            inv_std: NdArray, eps: float, var: NdArray,
            forward_data: Any) -> tuple[Any, ...]:
        """Compute gradients.

        Parameters
        ----------
        axis : tuple of int
            Axes to aggregate.
        gamma, gy, x : array
            Inputs of the function, and the gradient of its output.
        x_layout : object
            Layout of ``x``.
        xp : module
            Module of the arrays.
        expander : tuple
            Index that broadcasts parameters to ``x``.
        mean, inv_std : array
            Statistics of the batch.
        eps : float
            Constant added to the variance.
        var : array
            Variance of the batch.
        forward_data : object
            The last result of :meth:`forward`.

        Returns
        -------
        tuple
            Gradient of ``x`` and its layout, gradients of ``gamma`` and ``beta``.
        """
        if self._is_plain:
            gx, ggamma, gbeta = kernels.batch_backward(
                x, gamma, gy, mean, inv_std, axis, False)
            return gx, x_layout, ggamma, gbeta
        gx_dtype, param_dtype = x.dtype, gamma.dtype
        x, gamma, gy, mean, inv_std = _dtypes.cast_all(
            (x, gamma, gy, mean, inv_std), _dtypes.interm(x, gamma))
        x_hat = _x_hat(x, mean[expander], inv_std[expander])
        gbeta, ggamma = self.get_ggamma_and_gbeta(axis, gamma, gy, x_hat, xp)
        count = max(gy.size // max(gamma.size, 1), 1)
        x_hat *= ggamma[expander]
        x_hat += gbeta[expander]
        gx = (gamma * inv_std)[expander] * (gy - x_hat / count)
        ggamma, gbeta = _dtypes.cast_all((ggamma, gbeta), param_dtype)
        if gx.dtype != gx_dtype:
            gx = gx.astype(gx_dtype)
        return gx, x_layout, ggamma, gbeta


_STATISTICS = Methods(
    GeneralBatchNormalizationImpl, ['get_mean_and_var', 'get_ggamma_and_gbeta'])
