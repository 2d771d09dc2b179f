"""Cross entropy on a GPU; see :mod:`chainer_fast.backends.kernels.cross_entropy`.

The kernels run once for each score: that of class ``c`` for sample ``s``. As in CuPy's
own indexing, a label that is not a class wraps around.
"""
from chainer_fast.backends import _cuda_kernel, cuda

_PLACE = '''
    const ptrdiff_t s = i / inner / classes * inner + i % inner;
    const ptrdiff_t c = i / inner % classes;
'''

_LABEL = _PLACE + '''
    const bool counts = t[s] != ignored;
    const ptrdiff_t label = counts ? (t[s] % classes + classes) % classes : 0;
    const T weight = weighted ? weights[label] : T(1);
'''


def _elementwise(*args):
    return cuda.elementwise(*args, preamble=_cuda_kernel.header(
        'chainer_fast/backends/kernels/cross_entropy/elements.hpp'))


def _weights(class_weight, x):
    """Whether there are weights; and the weights, or anything of their dtype."""
    if class_weight is None:
        return 0, x
    return 1, class_weight.astype(x.dtype, copy=False)


def _sizes(x):
    """Number of classes, and distance of two classes of a sample."""
    return x.shape[1], x[:1, :1].size


def hard_losses(x, t, class_weight, ignore_label):
    """CUDA form of the kernel of this name."""
    sizes = _sizes(x)
    top = x.max(axis=1)
    y = cuda.cupy.empty(x.shape, x.dtype)
    _elementwise(
        'T x, raw T top, int64 classes, int64 inner', 'T y',
        _PLACE + 'y = exp(x - top[s])', 'cross_entropy_exp')(x, top, *sizes, y)
    total = y.sum(axis=1)
    losses = cuda.cupy.empty(t.shape, x.dtype)
    _elementwise(
        'T x, T e, raw T top, raw T total, raw L t, int32 weighted, raw T weights, '
        'int64 ignored, int64 classes, int64 inner', 'T y, raw T losses',
        _LABEL + '''
        y = e / total[s];
        if (c == label)
            losses[s] = counts
                ? chainer_fast::label_loss<T>(x - top[s], log(total[s]), weight) : T(0);
        ''', 'cross_entropy_losses')(
            x, y, top, total, t, *_weights(class_weight, x), ignore_label, *sizes, y,
            losses)
    return losses, y, (t != ignore_label).sum()


def hard_gradient(y, t, class_weight, ignore_label, scale):
    """CUDA form of the kernel of this name."""
    gx = cuda.cupy.empty(y.shape, y.dtype)
    _elementwise(
        'T y, raw L t, int32 weighted, raw T weights, int32 scalar, raw T scale, '
        'int64 ignored, int64 classes, int64 inner', 'T gx',
        _LABEL + '''
        gx = chainer_fast::score_gradient<T>(
            y, T(c == label), counts ? scale[scalar ? 0 : s] * weight : T(0));
        ''', 'cross_entropy_gradient')(
            y, t, *_weights(class_weight, y), int(scale.ndim == 0),
            scale.astype(y.dtype, copy=False).ravel(), ignore_label, *_sizes(y), gx)
    return gx
