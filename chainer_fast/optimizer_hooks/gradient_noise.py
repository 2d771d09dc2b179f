"""Noise added to gradients."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast import _numbers
from chainer_fast.backends.kernels import noise
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook
from chainer_fast.types import DTypeSpec, NdArray, Xp

if TYPE_CHECKING:
    from chainer_fast.optimizer import UpdateRule


def exponential_decay_noise(
        xp: Xp, shape: tuple[int, ...], dtype: DTypeSpec, hook: Any,
        opt: UpdateRule) -> NdArray:
    r"""Draw Gaussian noise whose variance decays with the number of updates.

    The variance is :math:`\eta / (1 + t)^{0.55}`.

    Parameters
    ----------
    xp : module
        Array module. Its random generator is used.
    shape : tuple of int
        Shape of the noise.
    dtype : dtype
        Type of the elements.
    hook : GradientNoise
        The hook, which supplies ``eta``.
    opt : UpdateRule
        The rule of the parameter, which supplies the count ``t``.

    Returns
    -------
    array
        The noise.

    References
    ----------
    A. Neelakantan et al. `Adding gradient noise improves learning for very deep
    networks <https://arxiv.org/abs/1511.06807>`__. 2015.
    """
    # NumPy warns about a negative scale.
    deviation = float(numpy.sqrt(_numbers.one(hook.eta) / (1 + opt.t) ** 0.55))
    if xp is not numpy:
        return xp.random.normal(0, deviation, shape).astype(dtype)
    return noise.normals(
        shape, dtype, deviation, lambda: numpy.random.normal(0, deviation, shape))


class GradientNoise(GradientHook):
    """Hook that adds noise to gradients.

    .. math:: g \\leftarrow g + \\epsilon, \\quad
       \\epsilon \\sim N(0, \\eta / (1 + t)^{0.55})

    with the number :math:`t` of updates so far.

    Parameters
    ----------
    eta : float
        Scale of the noise.
    noise_func : callable
        Function that draws the noise, called as
        ``noise_func(xp, shape, dtype, hook, rule)``; see
        :func:`exponential_decay_noise`.

    See Also
    --------
    chainer_fast.optimizer_hooks.gradient_noise.exponential_decay_noise

    References
    ----------
    A. Neelakantan et al. `Adding gradient noise improves learning for very deep
    networks <https://arxiv.org/abs/1511.06807>`__. 2015.

    Examples
    --------
    >>> layer = L.Linear(2, 1)
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(layer)
    >>> optimizer.add_hook(chainer.optimizer_hooks.GradientNoise(eta=0.01))
    >>> x = np.array([[3, -4]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))
    >>> layer.W.grad.shape
    (1, 2)
    """

    name = 'GradientNoise'

    _falls_back = False     # The function receives the array module.

    def __init__(
            self, eta: float,
            noise_func: Callable[..., Any] = exponential_decay_noise) -> None:
        self.eta = eta
        self.noise_func = noise_func

    def _change(self, grad, param, rule, xp):
        grad += self.noise_func(xp, grad.shape, param.dtype, self, rule)
