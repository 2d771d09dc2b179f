"""Scaling of losses, so that gradients of float16 do not vanish."""
from __future__ import annotations

import contextlib
import typing as tp
import warnings

from chainer_fast._core import gradients
from chainer_fast.backends.kernels import update_rules


class _LossScaling:
    """The part of an optimizer that chooses the loss scale."""

    target: tp.Any
    t: int
    _loss_scale: tp.Any = None
    _loss_scale_max = 65504     # the largest finite float16
    _loss_scaling_is_dynamic = False

    def loss_scaling(self, interval: int = 1000, scale: float | None = None) -> None:
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

    def is_safe_to_update(self) -> bool:
        """True unless the last check of the gradients found one that is not finite."""
        return not (self._loss_scaling_is_dynamic and self._loss_scaling_isnan)

    def update_loss_scale(self) -> None:
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

    def _serialize_loss_scale(self, serializer):
        """Save or load a dynamic loss scale, which files of Chainer lack."""
        if not self._loss_scaling_is_dynamic:
            return
        with contextlib.suppress(KeyError):
            self._loss_scale = serializer('loss_scale', float(self._loss_scale))
            self._loss_scaling_isnan_ever = serializer(
                'loss_scaling_isnan_ever', self._loss_scaling_isnan_ever)

    def check_nan_in_grads(self) -> None:
        """With a dynamic loss scale, warn of gradients that are not finite."""
        self._loss_scaling_isnan = False
        if not self._loss_scaling_is_dynamic:
            return
        if gradients.are_finite(self.target.params(include_uninit=False)):
            return
        grads = [
            (name, param.grad) for name, param
            in self.target.namedparams(include_uninit=False) if param.grad is not None]
        # Whether the update is skipped shows as soon as it is done, and so does the
        # warning. So there is no way around waiting for a GPU.
        finite = update_rules.are_finite([grad for _, grad in grads])
        for (name, _), is_finite in zip(grads, finite, strict=True):
            if is_finite:
                continue
            self._loss_scaling_isnan = True
            self._loss_scaling_isnan_ever = True
            warnings.warn(
                'Non finite number found in param.grad of %s (iteration: %s, '
                'loss_scale: %s)' % (name, self.t, self._loss_scale))

    def set_loss_scale(self, loss_scale: float | None) -> None:
        """Set a loss scale that stays, or a dynamic one if it is None."""
        self.loss_scaling(scale=loss_scale)
