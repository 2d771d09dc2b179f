"""Scaling of losses, so that gradients of float16 do not vanish."""
import typing as tp
import warnings

from chainer_fast._core import gradients
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.update_rules import cuda as kernels


class _LossScaling:
    """The part of an optimizer that chooses the loss scale."""

    target: tp.Any
    t: int
    _loss_scale: tp.Any = None
    _loss_scale_max = 65504     # the largest finite float16
    _loss_scaling_is_dynamic = False

    def loss_scaling(self, interval=1000, scale=None):
        """Scale losses up, so that gradients of float16 do not vanish.

        Parameters
        ----------
        interval : int
            Number of updates in which a dynamic scale doubles, once it has been found
            too large.
        scale : float, optional
            A scale that stays. Without it the scale is dynamic: it grows, is halved
            whenever a gradient is not finite, and such an update is skipped.
        """
        if scale is not None:
            if scale <= 0:
                raise ValueError(
                    'loss_scale must be a positive number. Actual: %s' % (scale,))
            self._loss_scale = scale
            return
        if interval < 1:
            raise ValueError(
                'interval must be greater than or equal to 1. Actual: %s' % (interval,))
        self._loss_scaling_is_dynamic = True
        self._loss_scale = 1.0
        self._loss_scaling_multiplier = 2.0 ** (1.0 / interval)
        self._loss_scaling_isnan_ever = False

    def is_safe_to_update(self):
        """True unless the last check of the gradients found one that is not finite."""
        return not (self._loss_scaling_is_dynamic and self._loss_scaling_isnan)

    def update_loss_scale(self):
        """Let a dynamic loss scale grow or shrink after an update."""
        if not self._loss_scaling_is_dynamic:
            return
        if self._loss_scaling_isnan:
            factor = 0.5
        elif self._loss_scaling_isnan_ever:
            factor = self._loss_scaling_multiplier
        else:
            factor = 2.0
        scaled = min(self._loss_scale * factor, self._loss_scale_max)
        self._loss_scale = max(1, scaled)

    def check_nan_in_grads(self):
        """With a dynamic loss scale, warn of gradients that are not finite."""
        self._loss_scaling_isnan = False
        if not self._loss_scaling_is_dynamic:
            return
        if gradients.are_finite(self.target.params(include_uninit=False)):
            return
        for name in _names_of_not_finite(
                self.target.namedparams(include_uninit=False)):
            self._loss_scaling_isnan = True
            self._loss_scaling_isnan_ever = True
            warnings.warn(
                'Non finite number found in param.grad of %s (iteration: %s, '
                'loss_scale: %s)' % (name, self.t, self._loss_scale))

    def set_loss_scale(self, loss_scale):
        """Set a loss scale that stays, or a dynamic one if it is None."""
        self.loss_scaling(scale=loss_scale)


def _names_of_not_finite(namedparams):
    """Return the names of the gradients that are not finite.

    Whether an update is skipped, and what it warns of, shows as soon as it returns. So it
    has to wait for the GPU, but once for all gradients.
    """
    grads = [(name, param.xp, param.grad) for name, param in namedparams
             if param.grad is not None]
    on_gpu = [grad for _, xp, grad in grads if xp is cuda.cupy]
    known = iter(kernels.are_finite(on_gpu) if on_gpu else ())
    return [name for name, xp, grad in grads if not (
        next(known) if xp is cuda.cupy else xp.isfinite(grad).all())]
