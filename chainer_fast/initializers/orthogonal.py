"""Initializer of orthogonal matrices."""
from __future__ import annotations

import math
from typing import Any

import numpy

from chainer_fast import backend, initializer
from chainer_fast.backends.kernels import linalg, noise
from chainer_fast.types import DTypeSpec, NdArray

# Mode: (may shrink the input space, may leave part of the output space unreached).
_modes = {
    'auto': (True, True),
    'projection': (True, False),
    'embedding': (False, True),
    'basis': (False, False),
}


class Orthogonal(initializer.Initializer):
    """Fills an array with a random orthogonal matrix.

    .. math:: W W^\\top = s^2 I \\quad\\text{or}\\quad W^\\top W = s^2 I

    An array with more than two axes is treated as a matrix whose rows are the first
    axis (outputs) and whose columns are all other axes (inputs). The rows or the
    columns, whichever are fewer, become orthogonal vectors of norm ``scale``. The
    matrix is the Q factor of a matrix of normal samples, with signs that make it
    uniformly distributed, as shown in the second paper.

    Parameters
    ----------
    scale : float
        Norm of the vectors.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    mode : {'auto', 'projection', 'embedding', 'basis'}
        Accepted shapes: ``'projection'`` at most as many outputs as inputs,
        ``'embedding'`` at least as many, ``'basis'`` equally many, ``'auto'`` any
        number.
    rng : random generator or None
        An object with methods ``normal(size)`` and ``randint(high)``, such as a
        :class:`numpy.random.RandomState`. None means the global generator.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        If ``mode`` is unknown; when called, if the array is empty or the mode does not
        accept its shape.

    References
    ----------
    A. M. Saxe, J. L. McClelland and S. Ganguli. `Exact solutions to the nonlinear
    dynamics of learning in deep linear neural networks
    <https://arxiv.org/abs/1312.6120>`__. ICLR 2014.

    F. Mezzadri. `How to generate random matrices from the classical compact groups
    <https://arxiv.org/abs/math-ph/0609050>`__. 2007.

    Examples
    --------
    >>> W = np.empty((2, 3), np.float32)
    >>> chainer.initializers.Orthogonal(scale=1)(W)
    >>> np.allclose(W @ W.T, np.eye(2), atol=1e-6)
    True
    """

    # Subclasses in programs may omit it, as they could before it was added.
    mode: str = 'auto'

    def __init__(
            self, scale: float = 1.1, dtype: DTypeSpec | None = None,
            mode: str = 'auto', *, rng: Any = None) -> None:
        if mode not in _modes:
            raise ValueError(
                'mode must be one of %s, not %r'
                % (', '.join(map(repr, _modes)), mode))
        self.scale = scale
        self.mode = mode
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        array = backend.from_chx(array)
        if not array.size:
            raise ValueError(
                'Orthogonal cannot fill an empty array (shape %s)' % (array.shape,))
        device = backend.get_device_from_array(array)
        with backend.using_device(device):
            rng = device.xp.random if self.rng is None else self.rng
            if array.ndim == 0:
                # The orthogonal matrices of one element are 1 and -1.
                array[...] = self.scale * (2 * rng.randint(2) - 1)
            else:
                array[...] = self._sample(
                    array.shape, rng, device.xp).reshape(array.shape)

    def _sample(self, shape, rng, xp):
        n_out, n_in = shape[0], math.prod(shape[1:])
        may_shrink, may_grow = _modes[self.mode]
        if (n_out < n_in and not may_shrink) or (n_out > n_in and not may_grow):
            raise ValueError(
                'shape %s maps %s inputs to %s outputs, which is not an orthogonal %s'
                % (shape, n_in, n_out, self.mode))
        wide = n_out < n_in
        shape = n_out, n_in

        def draw():
            return rng.normal(size=shape)

        samples = xp.asarray(
            noise.normals(shape, numpy.float64, 1., draw) if rng is numpy.random
            else draw())
        q, r = linalg.call(xp.linalg.qr, samples.T if wide else samples)
        # As in Chainer, the sign of a negative scale is ignored.
        q *= xp.copysign(self.scale, xp.diag(r))
        return q.T if wide else q
