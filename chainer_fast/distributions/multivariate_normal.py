"""The normal distribution of several variables."""
from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.backends.kernels import linalg
from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import utils
from chainer_fast.distributions.normal import ENTROPYC, LOGPROBC
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import (
    diagonal,
    expand_dims,
    squeeze,
    where,
)
from chainer_fast.functions.math import basic_math, exponential, matmul
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.cache import cached_property
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


class TriangularInv(FunctionNode):
    """Inverts triangular matrices.

    The other triangle of the input is ignored.

    Parameters
    ----------
    lower : bool
        Whether the matrices are lower triangular.
    """

    def __init__(self, lower: bool) -> None:
        super().__init__()
        self._lower = lower

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        x_type, = in_types
        type_check.expect(x_type.ndim >= 2)
        type_check.expect(x_type.shape[-1] == x_type.shape[-2])

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        # Imported late: it is slow to import and rarely needed.
        from scipy.linalg import lapack
        x, = inputs
        self.retain_outputs((0,))
        if not numpy.isfinite(x).all():
            raise ValueError('a matrix to invert must not contain inf or NaN')
        # LAPACK does not support float16.
        double = x.dtype.itemsize > 4
        computed = x.astype(numpy.float64 if double else numpy.float32, order='C')
        invert = lapack.dtrtri if double else lapack.strtri
        matrices = computed.reshape((-1,) + x.shape[-2:]) if x.size > 0 else ()
        for matrix in matrices:
            # LAPACK stores matrices by columns: the rows here are its columns.
            inverse, info = invert(
                matrix.T, lower=not self._lower, overwrite_c=True)
            if info > 0:
                raise numpy.linalg.LinAlgError(
                    'a triangular matrix has no inverse, its diagonal has a zero at '
                    'index %d' % (info - 1))
            matrix[...] = inverse.T
        return self._triangle(numpy, computed).astype(x.dtype, copy=False),

    def forward_gpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_outputs((0,))
        xp = backend.get_array_module(x)
        computed = self._triangle(
            xp, x.astype(numpy.promote_types(x.dtype, numpy.float32)))
        return self._triangle(xp, linalg.call(xp.linalg.inv, computed)).astype(x.dtype),

    def _triangle(self, xp, x):
        return xp.tril(x) if self._lower else xp.triu(x)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # d(x^-1) = -x^-1 dx x^-1
        gy, = grad_outputs
        y, = self.get_retained_outputs()
        gx = -matmul.matmul(matmul.matmul(y, gy, transa=True), y, transb=True)
        xp = backend.get_array_module(gx)
        part = self._triangle(xp, xp.ones(gx.shape[-2:], bool))
        return where.where(part, gx, xp.zeros((), gx.dtype)),


def _triangular_inv(x, lower=True):
    """Return the inverse of a triangular matrix, or of each in a batch.

    Parameters
    ----------
    x : Variable or array
        Matrices of the shape ``(..., d, d)``.
    lower : bool
        Whether the matrices are lower triangular.

    Returns
    -------
    Variable
        Matrices of the shape and dtype of ``x``.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a diagonal has a zero element.
    ValueError
        If ``x`` has infinities or NaN.
    """
    return TriangularInv(lower).apply((x,))[0]


# One function handles both.
_batch_triangular_inv = _triangular_inv


def _triangular_logdet(x):
    """Return the logarithms of the absolute determinants of triangular matrices."""
    on_diagonal = diagonal.diagonal(x, axis1=-2, axis2=-1)
    return sum_.sum(
        exponential.log(basic_math.absolute(on_diagonal)), axis=-1)


class MultivariateNormal(Distribution):
    """Normal distribution of vectors.

    .. math::

        p(x; \\mu, V) = \\frac{1}{\\sqrt{\\det(2 \\pi V)}}
            \\exp\\left(- \\frac{1}{2} (x - \\mu)^\\top V^{-1} (x - \\mu)\\right),
            \\qquad V = L L^\\top

    Samples are differentiable with respect to the parameters.

    Parameters
    ----------
    loc : Variable or array
        Means :math:`\\mu`, vectors along the last axis. The axes before it are batch
        axes.
    scale_tril : Variable or array
        Lower triangular matrices :math:`L` along the last two axes, such as Cholesky
        factors of the covariance. Keyword argument.

    Raises
    ------
    ValueError
        If ``scale_tril`` is not given.

    Examples
    --------
    >>> d = chainer.distributions.MultivariateNormal(
    ...     np.float32([0, 1]), scale_tril=np.float32([[1, 0], [2, 1]]))
    >>> d.covariance.array
    array([[1., 2.],
           [2., 5.]], dtype=float32)
    >>> d.event_shape, d.sample((10,)).shape
    ((2,), (10, 2))
    """

    def __init__(
            self, loc: VariableOrArray, *,
            scale_tril: VariableOrArray | None = None) -> None:
        if scale_tril is None:
            raise ValueError(
                'MultivariateNormal needs its covariance: give scale_tril, '
                'its lower triangular factor')
        super().__init__()
        self._loc = loc
        self._scale_tril = scale_tril

    @cached_property
    def loc(self) -> Variable:
        """Variable: Means."""
        return as_variable(self._loc)

    @cached_property
    def scale_tril(self) -> Variable:
        """Variable: Lower triangular factors of the covariance."""
        return as_variable(self._scale_tril)

    @cached_property
    def _logdet_scale(self):
        return _triangular_logdet(self.scale_tril)

    @property
    def d(self) -> int:
        """int: Number of variables."""
        return self.scale_tril.shape[-1]

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'loc': self.loc, 'scale_tril': self.scale_tril}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.loc.shape[:-1]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self.loc.shape[-1:]

    @property
    def support(self) -> str:
        return 'real'

    def log_prob(self, x: VariableOrArray) -> Variable:
        # z has a standard normal distribution: x = L z + mu
        whitening = _triangular_inv(self.scale_tril)
        shifted = expand_dims.expand_dims(x - self.loc, -1)
        z = squeeze.squeeze(matmul.matmul(whitening, shifted), -1)
        return (self.d * LOGPROBC - self._logdet_scale
                - 0.5 * sum_.sum(z ** 2, axis=-1))

    @cached_property
    def mean(self) -> Variable:
        return self.loc

    @property
    def covariance(self) -> Variable:
        return matmul.matmul(self.scale_tril, self.scale_tril, transb=True)

    @cached_property
    def entropy(self) -> Variable:
        return self._logdet_scale + self.d * ENTROPYC

    def sample_n(self, n: int) -> Variable:
        xp = backend.get_array_module(self.loc)
        # Noise is drawn in float32 for every dtype, and is not cast if the mean is
        # float32.
        noise = utils._standard_normal(
            xp, (n,) + self.loc.shape + (1,), numpy.float32)
        if self.loc.dtype != numpy.float32:
            noise = noise.astype(self.scale_tril.dtype, copy=False)
        return self.loc + squeeze.squeeze(
            matmul.matmul(self.scale_tril, noise), -1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(dist1, dist2):
    whitening = _triangular_inv(dist2.scale_tril)
    # The square of the norm is the trace of V2^-1 V1.
    spread = sum_.sum(
        matmul.matmul(whitening, dist1.scale_tril) ** 2, axis=(-2, -1))
    shifted = expand_dims.expand_dims(dist2.loc - dist1.loc, -1)
    shift = sum_.sum(matmul.matmul(whitening, shifted) ** 2, axis=(-2, -1))
    return (dist2._logdet_scale - dist1._logdet_scale
            + 0.5 * (spread + shift - dist1.d))
