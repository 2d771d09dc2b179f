"""Discrete Fourier transforms of complex numbers given as two real arrays."""
from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _as_complex(xp, real, imag):
    # Only recent versions of NumPy have transforms in single precision.
    double = xp is numpy or real.dtype == numpy.float64
    z = xp.empty(real.shape, numpy.complex128 if double else numpy.complex64)
    z.real = real
    z.imag = imag
    return z


class FFT(FunctionNode):
    """Transform along the last axis.

    Parameters
    ----------
    method : {'fft', 'ifft'}
        The transform, or its inverse.
    """

    # Which of the two transforms is divided by the number of elements.
    _norm = 'backward'

    def __init__(self, method: str) -> None:
        self._method = method

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'real', 'imag')
        type_check.expect(in_types[0].ndim > 0)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(*inputs)
        transform = getattr(xp.fft, self._method)
        z = transform(_as_complex(xp, *inputs), norm=self._norm)
        return tuple([part.astype(x.dtype) for part, x in zip(
            (z.real, z.imag), inputs, strict=True)])

    def backward(
            self, inputs: tuple[int, ...],
            grads: GradOutputs) -> tuple[Variable | None, ...]:
        # The gradient is multiplied by the conjugate transpose of the matrix of the
        # transform. That is the inverse except for the factor, which remains with the
        # transform that has it.
        known = next(g for g in grads if g is not None)
        xp = backend.get_array_module(known)
        grads = [xp.zeros_like(known.array) if g is None else g for g in grads]
        function = FFT('ifft' if self._method == 'fft' else 'fft')
        function._norm = 'forward' if self._norm == 'backward' else 'backward'
        return function.apply(grads)


def _apply(method, real, imag):
    return FFT(method).apply((real, imag))


def fft(x: tuple[VariableOrArray, VariableOrArray]) -> tuple[Variable, Variable]:
    """Discrete Fourier transform along the last axis.

    .. math:: y_k = \\sum_{j=0}^{n-1} x_j \\, e^{-2 \\pi i j k / n}

    Parameters
    ----------
    x : tuple of (Variable or array, Variable or array)
        Real and imaginary parts, of the same shape and floating dtype.

    Returns
    -------
    tuple of (Variable, Variable)
        Real and imaginary parts of the transform, of that shape and dtype.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the parts are not floating-point, or differ in dtype or shape.
    TypeError
        If ``x`` is not a pair.

    See Also
    --------
    chainer_fast.functions.ifft
    numpy.fft.fft

    Examples
    --------
    >>> real, imag = F.fft((np.ones(4, np.float32), np.zeros(4, np.float32)))
    >>> real.array
    array([4., 0., 0., 0.], dtype=float32)
    """
    return _apply('fft', *x)


def ifft(x: tuple[VariableOrArray, VariableOrArray]) -> tuple[Variable, Variable]:
    """Inverse of the discrete Fourier transform, along the last axis.

    .. math:: x_j = \\frac{1}{n} \\sum_{k=0}^{n-1} y_k \\, e^{2 \\pi i j k / n}

    Parameters
    ----------
    x : tuple of (Variable or array, Variable or array)
        Real and imaginary parts, of the same shape and floating dtype.

    Returns
    -------
    tuple of (Variable, Variable)
        Real and imaginary parts of the inverse, of that shape and dtype.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the parts are not floating-point, or differ in dtype or shape.
    TypeError
        If ``x`` is not a pair.

    See Also
    --------
    chainer_fast.functions.fft
    numpy.fft.ifft

    Examples
    --------
    >>> y = np.array([4., 0., 0., 0.], np.float32)
    >>> real, imag = F.ifft((y, np.zeros(4, np.float32)))
    >>> real.array
    array([1., 1., 1., 1.], dtype=float32)
    """
    return _apply('ifft', *x)
