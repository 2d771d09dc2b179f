"""CUDA forms of batch normalization: one kernel for the elementwise part."""
from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.normalization.axes import kept_shape


def batch_apply(x, gamma, beta, mean, inv_std, axis):
    return _elementwise(
        'T x, T gamma, T beta, T mean, T inv_std',
        'out = chainer_fast::normalized(x, mean, gamma * inv_std, beta)',
        'batch_apply', axis, x, gamma, beta, mean, inv_std)


def batch_backward(x, gamma, gy, mean, inv_std, axis, fixed):
    shape = kept_shape(x.shape, axis)
    gbeta = gy.sum(axis=axis)
    ggamma = (gy * (x - mean.reshape(shape))).sum(axis=axis) * inv_std
    factor = gamma * inv_std
    if fixed:
        return gy * factor.reshape(shape), ggamma, gbeta
    count = max(x.size // max(gamma.size, 1), 1)
    gx = _elementwise(
        'T x, T gy, T mean, T g_mean, T factor, T slope',
        'out = chainer_fast::normalized_grad(x, gy, mean, g_mean, factor, slope)',
        'batch_backward', axis, x, gy, mean, gbeta / count, factor,
        factor * inv_std * ggamma / -count)
    return gx, ggamma, gbeta


def _elementwise(params, operation, name, axis, x, *others):
    """Run a kernel on ``x`` and on arrays of its shape or that of the statistics."""
    shape = kept_shape(x.shape, axis)
    return cuda.elementwise(
        params, 'T out', operation, name,
        preamble=header('chainer_fast/backends/kernels/normalization/elements.hpp'),
    )(x, *[v if v.shape == x.shape else v.reshape(shape) for v in others])
