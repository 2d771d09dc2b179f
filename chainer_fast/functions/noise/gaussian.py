from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NoReturn, overload

from chainer_fast.backends.kernels import noise as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import argument
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Gaussian(FunctionNode):
    """Samples from normal distributions by reparameterization."""

    noise: Any

    def __init__(self, eps: NdArray | None = None) -> None:
        super().__init__()
        self.eps = eps

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'mean', 'ln_var')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        mean, ln_var = inputs
        self.retain_inputs((1,))
        # The sample is kept: a second call of the function uses the same one.
        if self.eps is None:
            self.eps = kernels.standard_normal(ln_var)
        y, self.noise = kernels.gaussian(mean, ln_var, self.eps)
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        gy, = grad_outputs
        ret = []
        for i in indexes:
            if i == 0:
                ret.append(gy)
                continue
            by_ln_var = _GaussianGrad(self.noise)
            ret.extend(by_ln_var.apply(self.get_retained_inputs() + grad_outputs))
        return ret


class _GaussianGrad(FunctionNode):
    """Gradient with respect to the logarithm of the variance: ``gy * noise / 2``.

    The inputs are that logarithm and ``gy``.

    Parameters
    ----------
    noise : array
        The scaled noise, ``exp(ln_var / 2) * eps``.
    """

    def __init__(self, noise: NdArray) -> None:
        self.noise = noise

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return kernels.gaussian_grad(inputs[1], self.noise),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        ln_var, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        ggx, = grad_outputs
        by_gy, = _GaussianGrad(self.noise).apply((ln_var, ggx))
        return 0.5 * ggx * y, by_gy


@overload
def gaussian(
        mean: VariableOrArray, ln_var: VariableOrArray, *, eps: NdArray | None = ...,
        return_eps: Literal[False] = ..., **kwargs: NoReturn) -> Variable: ...
@overload
def gaussian(
        mean: VariableOrArray, ln_var: VariableOrArray, *, eps: NdArray | None = ...,
        return_eps: bool = ..., **kwargs: NoReturn) -> Any: ...
def gaussian(
        mean: VariableOrArray, ln_var: VariableOrArray, *, eps: NdArray | None = None,
        return_eps: bool = False,
        **kwargs: NoReturn) -> Variable | tuple[Variable, NdArray | None]:
    """Samples from normal distributions by reparameterization.

    .. math::

        y = \\mu + \\exp(\\frac{1}{2} \\ln \\sigma^2) \\, \\epsilon,
        \\qquad \\epsilon \\sim N(0, 1)

    Gradients flow to the mean and to the logarithm of the variance.

    See: `Auto-Encoding Variational Bayes <https://arxiv.org/abs/1312.6114>`_

    Parameters
    ----------
    mean : Variable or array
        Means, of a floating dtype.
    ln_var : Variable or array
        Logarithms of the variances, of the same dtype and shape.
    eps : array or None
        Value of :math:`\\epsilon`, of the shape and dtype of ``mean``; by default it is
        drawn at random.
    return_eps : bool
        Whether :math:`\\epsilon` is also returned.

    Returns
    -------
    Variable or tuple
        The sample, of the shape and dtype of ``mean``; with ``return_eps`` a tuple of
        it and :math:`\\epsilon`.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype or shape.
    ValueError
        If ``eps`` is of another shape.
    TypeError
        If an unknown argument is given.

    See Also
    --------
    chainer_fast.functions.gaussian_kl_divergence
    chainer_fast.functions.gaussian_nll

    Examples
    --------
    >>> mean = np.array([5., 5.], np.float32)
    >>> ln_var = np.log(np.array([4., 9.], np.float32))
    >>> F.gaussian(mean, ln_var, eps=np.array([1., -1.], np.float32)).array
    array([7., 2.], dtype=float32)
    """
    if kwargs:
        argument.assert_kwargs_empty(kwargs)
    function = Gaussian(eps)
    y, = function.apply((mean, ln_var))
    return (y, y.device.send(function.eps)) if return_eps else y
