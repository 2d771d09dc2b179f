"""CUDA forms of the cross entropy: one kernel for the elementwise part.

The kernels run once for each score. As in CuPy's own indexing, a label that is not a
class wraps around.
"""
from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header

_LABEL_PARAMS = 'L t, int64 ignored, int32 weighted, raw T weights, ' \
    'int64 classes, int64 inner'

# `c` is the class that the score is of.
_LABEL = '''
    const ptrdiff_t c = i / inner % classes;
    const bool counts = t != ignored;
    const ptrdiff_t label = counts ? (t % classes + classes) % classes : 0;
    const T weight = weighted ? weights[label] : T(1);
'''


def _elementwise(in_params, out_params, operation, name):
    return cuda.elementwise(
        in_params, out_params, operation, name,
        preamble=header('chainer_fast/backends/kernels/cross_entropy/elements.hpp'))


def _label_args(x, t, class_weight, ignore_label):
    weighted = class_weight is not None
    # Without weights, any array of their dtype takes their place.
    weights = class_weight.astype(x.dtype, copy=False) if weighted else x
    return (t[:, None], ignore_label, int(weighted), weights, x.shape[1],
            x[:1, :1].size)


def hard_losses(x, t, class_weight, ignore_label):
    top = x.max(axis=1, keepdims=True)
    y = cuda.cupy.empty(x.shape, x.dtype)
    _elementwise(
        'T x, T top', 'T y', 'y = exp(x - top)', 'cross_entropy_exp')(x, top, y)
    total = y.sum(axis=1, keepdims=True)
    losses = cuda.cupy.empty(t.shape, x.dtype)
    _elementwise(
        'T x, T e, T top, T total, ' + _LABEL_PARAMS, 'T y, raw T losses',
        _LABEL + '''
        y = e / total;
        if (c == label)
            losses[i / inner / classes * inner + i % inner] = counts
                ? chainer_fast::label_loss<T>(x - top, log(total), weight) : T(0);
        ''', 'cross_entropy_losses')(
            x, y, top, total, *_label_args(x, t, class_weight, ignore_label), y, losses)
    return losses, y, (t != ignore_label).sum()


def hard_gradient(y, t, class_weight, ignore_label, scale):
    gx = cuda.cupy.empty(y.shape, y.dtype)
    scale = scale.astype(y.dtype, copy=False)
    _elementwise(
        'T y, T scale, ' + _LABEL_PARAMS, 'T gx',
        _LABEL + '''
        gx = chainer_fast::score_gradient<T>(
            y, T(c == label), counts ? T(scale * weight) : T(0));
        ''', 'cross_entropy_gradient')(
            y, scale[:, None] if scale.ndim else scale,
            *_label_args(y, t, class_weight, ignore_label), gx)
    return gx
