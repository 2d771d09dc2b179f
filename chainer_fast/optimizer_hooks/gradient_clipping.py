"""Clipping of the norm of all gradients."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

from chainer_fast import _numbers, backend
from chainer_fast._core.updates import update
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.update_rules import cuda as kernels

if TYPE_CHECKING:
    from chainer_fast.optimizer import Optimizer


class GradientClipping:
    """Hook that scales all gradients down to a maximum global norm.

    .. math:: g \\leftarrow \\min(1, \\tau / |g|) \\, g

    The L2 norm is that of the gradients of all parameters together. If it exceeds the
    threshold :math:`\\tau`, all gradients are scaled so that the norm becomes the
    threshold.

    Parameters
    ----------
    threshold : float
        Largest norm.

    References
    ----------
    R. Pascanu, T. Mikolov and Y. Bengio. `On the difficulty of training recurrent
    neural networks <https://arxiv.org/abs/1211.5063>`__. ICML 2013.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(layer)
    >>> optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1))
    >>> x = np.array([[3, -4]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.94, 2.08]], dtype=float32)
    """

    name = 'GradientClipping'
    timing = 'pre'

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def __call__(self, opt: Optimizer) -> None:
        params = list(opt.target.params(include_uninit=False))
        if update.has_cleared_grad(params):
            params = [param for param in params if param.grad is not None]
        if _clip_on_gpu(params, self.threshold):
            return
        total = update.sum_of_squares(params)
        if total is None:
            total = sum(_squared_norms(params))
        norm = math.sqrt(total)
        if norm == 0:
            return
        threshold = self.threshold
        if type(threshold) is not float:
            threshold = _numbers.one(threshold)
        rate = threshold / norm
        if rate >= 1:
            return
        # If the norm is NaN, the gradients become NaN, too.
        for param in update.scale_grads(params, rate):
            param = param._plain()
            with backend.using_device(param.device):
                grad = param.grad
                if grad.dtype.char == 'e':      # because a small rate would be zero
                    grad[...] = grad.astype(numpy.float32) * rate
                else:
                    grad *= rate


def _clip_on_gpu(params, threshold):
    """Clip gradients on one GPU without waiting for their norm; else return False."""
    return (
        bool(params) and isinstance(threshold, (int, float, numpy.generic))
        and params[0].device.xp is cuda.cupy
        and kernels.clip([param.grad for param in params], threshold))


def _squared_norms(params):
    """Yield squared norms of gradients, with one transfer from each device."""
    by_device = {}
    for param in params:
        param = param._plain()
        with backend.using_device(param.device):
            flat = param.grad.ravel()
            if flat.dtype.char == 'e':
                flat = flat.astype(numpy.float32)   # so that squares are finite
            square = flat.dot(flat)
        if param.device.xp is numpy:
            yield float(square)
        else:
            by_device.setdefault(param.device, []).append(square)
    for device, squares in by_device.items():
        with backend.using_device(device):
            yield float(sum(squares))
