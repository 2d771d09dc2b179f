"""Loss scaling, which keeps float16 gradients from vanishing."""
from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast._core.updates import update
from chainer_fast.backends.kernels import update_rules

_HALF_MAX = 65504       # the largest finite float16


def unscale(param: Any) -> None:
    """Divide the gradient of an initialized parameter by its loss scale, in place.

    ``param._loss_scale`` is the factor by which the gradient has yet to be divided.
    """
    scale = param._loss_scale
    # Arrays that hold their own gradients have divided them already.
    if scale is None or param._has_wrapper:
        return
    grad = param.grad
    if grad is not None:
        with backend.using_device(param.device):
            if grad.dtype.char == 'e':      # because a large scale would be infinite
                grad[...] = grad.astype(numpy.float32) / scale
            else:
                grad /= scale
    param._loss_scale = None


def unscaled(params: Iterable[Any]) -> AbstractContextManager[Any]:
    """Return a context for hooks of an optimizer in which gradients have no loss scale.

    The scale is removed from the gradients permanently. But the small elements of the
    float16 gradient of a parameter that is updated in float32 would be lost, too.
    Within the context, such a parameter and its gradient are therefore replaced by
    float32 copies.
    """
    scaled = update.of_scaled_loss(params)
    return _in_unscaled(scaled) if scaled else _NOTHING


_NOTHING = contextlib.nullcontext()


@contextlib.contextmanager
def _in_unscaled(params):
    halves = []
    for param in params:
        if not param.is_initialized or param._has_wrapper:
            continue
        rule = param.update_rule
        if (param.dtype.char == 'e' and param.grad is not None
                and getattr(rule, '_use_fp32_update', False) and rule.enabled):
            halves.append((param, param.array, param.grad, param._loss_scale))
            _widen(param)
        unscale(param)
    try:
        yield
    finally:
        for each in halves:
            _narrow(*each)


def _widen(param):
    """Replace a float16 parameter and its gradient by float32 copies."""
    with backend.using_device(param.device):
        array = param.array.astype(numpy.float32)
        grad = param.grad.astype(numpy.float32)
    param.cleargrad()
    param.array, param.grad = array, grad


def _narrow(param, array, grad, scale):
    """Restore a float16 parameter, with the current values of its copy and gradient.

    The gradient is multiplied by the scale again, or by the largest power of two with
    which no element becomes infinite.
    """
    wide, wide_grad = param.array, param.grad
    param.cleargrad()
    param.array = array
    with backend.using_device(param.device):
        array[...] = wide
        if wide_grad is None:
            return
        if wide_grad.size:
            scale = _possible_scale(param.device.xp, wide_grad, scale)
        grad[...] = wide_grad * scale
    param.grad, param._loss_scale = grad, scale


def _possible_scale(xp, grad, scale):
    """Return a scale, or the largest power of 2 with which a gradient fits in float16.

    On a GPU, the result stays there, so that the host need not wait for it.
    """
    with numpy.errstate(all='ignore'):
        limit = xp.exp2(xp.floor(xp.log2(_HALF_MAX / abs(grad).max())))
    # There is no limit for a gradient that is not finite.
    found = xp.where(limit > 0, xp.minimum(limit, scale), scale)
    return float(found) if xp is numpy else found.astype(numpy.float32)


class _LossScaling:
    """Part of an optimizer that determines the loss scale."""

    target: Any
    t: int
    _loss_scale: Any = None
    _loss_scale_max = _HALF_MAX
    _loss_scaling_is_dynamic = False

    def loss_scaling(self, interval: int = 1000, scale: float | None = None) -> None:
        """Turn on loss scaling, which keeps float16 gradients from vanishing.

        Parameters
        ----------
        interval : int
            Number of updates in which a dynamic scale doubles, once it has been too
            large for the first time.
        scale : float, optional
            A constant scale. If it is not given, the scale is dynamic: it grows, but it
            is halved whenever a gradient is not finite, and that update is skipped.
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
        """Increase or decrease a dynamic loss scale after an update."""
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
        """Save or load a dynamic loss scale, which Chainer's files lack."""
        if not self._loss_scaling_is_dynamic:
            return
        with contextlib.suppress(KeyError):
            self._loss_scale = serializer('loss_scale', float(self._loss_scale))
            self._loss_scaling_isnan_ever = serializer(
                'loss_scaling_isnan_ever', self._loss_scaling_isnan_ever)

    def check_nan_in_grads(self) -> None:
        """With a dynamic loss scale, warn about gradients that are not finite."""
        self._loss_scaling_isnan = False
        if not self._loss_scaling_is_dynamic:
            return
        if update.are_finite(self.target.params(include_uninit=False)):
            return
        grads = [
            (name, param.grad) for name, param
            in self.target.namedparams(include_uninit=False) if param.grad is not None]
        # Whether the update is skipped is visible right after it, as is the warning, so
        # waiting for a GPU cannot be avoided.
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
        """Set a constant loss scale, or a dynamic one if ``loss_scale`` is None."""
        self.loss_scaling(scale=loss_scale)
