"""Normalization on a GPU; :mod:`chainer_fast.backends.kernels.normalization`.

One reduction with several results computes statistics and sums. One launch of an
elementwise kernel does the rest. In the kernels, ``T`` is the dtype of the values,
``P`` that of the parameters, and ``S``, at least single precision, that of the
statistics; ``G`` and ``M`` are those of the gradients and of given means.
"""
from __future__ import annotations

import math

import numpy

from chainer_fast._core.devices.launches import FlatKernel
from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends._cuda_kernel import header, raw_of
from chainer_fast.backends._cudnn import batch_normalization as by_cudnn
from chainer_fast.backends._cudnn import sessions
from chainer_fast.backends.kernels.common.many_arrays import TYPES
from chainer_fast.backends.kernels.normalization.axes import kept_shape
from chainer_fast.backends.kernels.normalization.dtypes import interm
from chainer_fast.backends.kernels.reduction import cuda as reduction
from chainer_fast.types import NdArray

_HEADER = 'chainer_fast/backends/kernels/normalization/elements.hpp'
_INPUTS = 'T x, G gy, P gamma, M mean, S inv_std, '
_MEMBERS = {
    'Pair': {'first': 'S', 'second': 'S'},
    'Spread': {'count': 'S', 'mean': 'S', 'square': 'S'},
}
_X_HAT = 'chainer_fast::normalization::normalized<S>(x, mean, inv_std, 0)'


def _elementwise(in_params, out_params, operation, name):
    return cuda.elementwise(
        in_params, out_params, operation, name, preamble=header(_HEADER))


def _sums(struct, params, term):
    """Return sums of structs, whose members have the type ``S``."""
    return reduction.Terms(
        'chainer_fast::normalization::%s<S>' % struct, params, term, header(_HEADER),
        _MEMBERS[struct])


def _empty(count, shape, dtype):
    return [cuda.cupy.empty(shape, dtype) for _ in range(count)]


def _other_shape(shape, axis):
    return tuple([n for i, n in enumerate(shape) if i not in axis])


# ----------------------------------------------------------------------- statistics

_MOVE = (
    '%s running_mean = chainer_fast::normalization::moved_towards<S>('
    'running_mean, mean, decay, weight)'
    '%s running_var = chainer_fast::normalization::moved_towards<S>('
    'running_var, var, decay, weight_of_var)')


def _compile_move(letter):
    kind, number = TYPES[letter], 'double' if letter == 'd' else 'float'
    return raw_of(
        _HEADER, 'normalization_update_running',
        f'{kind} *running_mean, {kind} *running_var, const {kind} *mean, '
        f'const {kind} *var, long long n, {number} decay, {number} weight, '
        f'{number} weight_of_var',
        f'const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; '
        f'if (i < n) {{ running_mean[i] = moved_towards<{number}>(running_mean[i], '
        f'mean[i], decay, weight); running_var[i] = moved_towards<{number}>('
        f'running_var[i], var[i], decay, weight_of_var); }}').kernel


_move = FlatKernel(_compile_move)


def _weights(decay, adjust):
    """Coefficients of a running mean, of a new mean and of a new variance."""
    return decay, 1 - decay, (1 - decay) * adjust


def _statistics(x, axis, eps, dtype, running=(), weights=()):
    """Mean, variance and reciprocal of the standard deviation over axes.

    Running statistics are updated in place, if given.
    """
    results = _empty(3, _other_shape(x.shape, axis), dtype)
    more_params, out_params = ', S eps', 'S mean, S var, S inv_std'
    code = ('mean = a.mean, var = a.variance(), '
            'inv_std = chainer_fast::normalization::inverse_std<S>(var, eps)')
    name = 'normalization_statistics'
    if running:
        more_params += ', S decay, S weight, S weight_of_var'
        out_params += ', M running_mean, V running_var'
        code += _MOVE % (',', ',')
        name += '_running'
    reduction.reduce(
        _sums('Spread', 'T x', 'chainer_fast::normalization::Spread<S>(S(x))'), (x,),
        axis, out_params, code, (*results, *running), dtype, name, more_params,
        (eps, *weights))
    return results


def moments(x: NdArray, axis: tuple[int, ...]) -> tuple[NdArray, NdArray]:
    mean, var, _ = _statistics(x, axis, 0, interm(x, x))
    return mean, var


def inverses(var: NdArray, eps: float) -> tuple[NdArray, NdArray]:
    return _elementwise(
        'S var, S eps', 'S inv_std, S inv_var',
        'inv_std = chainer_fast::normalization::inverse_std<S>(var, eps); '
        'inv_var = 1 / (var + eps)',
        'normalization_inverses')(var, eps)


def update_running(
        running_mean: NdArray, running_var: NdArray, mean: NdArray, var: NdArray,
        decay: float, adjust: float) -> None:
    weights = _weights(decay, adjust)
    if _move((running_mean, running_var, mean, var), *weights):
        return
    # Running statistics may be halves, and each may have its own dtype.
    _elementwise(
        'S mean, S var, S decay, S weight, S weight_of_var',
        'M running_mean, V running_var', _MOVE % ('', ';'),
        'normalization_update_running')(
            mean, var, *weights, running_mean, running_var)


def corrections(
        gamma: NdArray, beta: NdArray, mean: NdArray, var: NdArray,
        running_mean: NdArray, running_var: NdArray, eps: float, rmax: float,
        dmax: float) -> tuple[NdArray, ...]:
    wide = numpy.promote_types(mean.dtype, running_mean.dtype)
    results = [
        *_empty(2, mean.shape, mean.dtype), *_empty(2, mean.shape, wide),
        *_empty(2, mean.shape, interm(mean, gamma))]
    _elementwise(
        'P gamma, P beta, S mean, S var, M running_mean, V running_var, float64 eps, '
        'W rmax, W dmax', 'S std, S inv_std, W r, W d, F factor, F offset', '''
            const V running_eps = V(eps);
            const W running_std = sqrt(running_var + running_eps);
            std = sqrt(var + S(eps));
            inv_std = 1 / std;
            r = W(std) / running_std;
            r = r < 1 / rmax ? 1 / rmax : r > rmax ? rmax : r;
            d = (W(mean) - W(running_mean)) / running_std;
            d = d < -dmax ? -dmax : d > dmax ? dmax : d;
            factor = F(gamma) * F(r);
            offset = F(gamma) * F(d) + F(beta)
        ''', 'renormalization')(
            gamma, beta, mean, var, running_mean, running_var, eps, rmax, dmax,
            *results)
    return tuple(results)


# -------------------------------------------------------------------------- batches

def batch_apply(
        x: NdArray, gamma: NdArray, beta: NdArray, mean: NdArray, inv_std: NdArray,
        axis: tuple[int, ...]) -> NdArray:
    shape = kept_shape(x.shape, axis)
    last = _image_orders.keeps(x)
    y = _image_orders.empty(x.shape, x.dtype, last)
    _elementwise(
        'T x, P gamma, P beta, M mean, S inv_std', 'T y',
        'y = chainer_fast::normalization::normalized<S>('
        'x, mean, S(gamma) * inv_std, beta)',
        'normalization_apply')(*_image_orders.in_memory([
            x, *[each.reshape(shape) for each in (gamma, beta, mean, inv_std)], y],
            last))
    return y


def _batch_forward(x, gamma, beta, axis, eps, running=(), weights=()):
    mean, var, inv_std = _statistics(
        x, axis, eps, interm(x, gamma), running, weights)
    return batch_apply(x, gamma, beta, mean, inv_std, axis), mean, var, inv_std


@sessions.preferred(by_cudnn.batch_forward)
def batch_forward(
        x: NdArray, gamma: NdArray, beta: NdArray, axis: tuple[int, ...],
        eps: float) -> tuple[NdArray, NdArray, NdArray, NdArray]:
    return _batch_forward(x, gamma, beta, axis, eps)


def _batch_forward_running_by_cudnn(
        x, gamma, beta, axis, eps, running_mean, running_var, decay, adjust):
    results = by_cudnn.batch_forward(x, gamma, beta, axis, eps)
    if results is not NotImplemented:
        _, mean, var, _ = results
        update_running(running_mean, running_var, mean, var, decay, adjust)
    return results


@sessions.preferred(_batch_forward_running_by_cudnn)
def batch_forward_running(
        x: NdArray, gamma: NdArray, beta: NdArray, axis: tuple[int, ...], eps: float,
        running_mean: NdArray, running_var: NdArray, decay: float,
        adjust: float) -> tuple[NdArray, NdArray, NdArray, NdArray]:
    return _batch_forward(x, gamma, beta, axis, eps, (running_mean, running_var),
                          _weights(decay, adjust))


_PRODUCTS = _sums('Pair', 'T x, G gy, M mean, S inv_std',
                  'chainer_fast::normalization::Products::of(%s, S(gy), S(0))' % _X_HAT)


def _batch_sums(x, gamma, gy, mean, inv_std, axis):
    """Gradients of gamma and beta, in the dtype of the statistics and in their own."""
    shape = kept_shape(x.shape, axis)
    sums = _empty(2, gamma.shape, inv_std.dtype)
    results = sums if gamma.dtype == inv_std.dtype else _empty(
        2, gamma.shape, gamma.dtype)
    reduction.reduce(
        _PRODUCTS, (x, gy, mean.reshape(shape), inv_std.reshape(shape)), axis,
        'S by_gamma, S by_beta, P ggamma, P gbeta',
        'ggamma = by_gamma = a.second, gbeta = by_beta = a.first', (*sums, *results),
        inv_std.dtype, 'normalization_batch_sums')
    return sums, results


@sessions.preferred(by_cudnn.batch_backward)
def batch_backward(
        x: NdArray, gamma: NdArray, gy: NdArray, mean: NdArray, inv_std: NdArray,
        axis: tuple[int, ...], fixed: bool) -> tuple[NdArray, ...]:
    sums, results = _batch_sums(x, gamma, gy, mean, inv_std, axis)
    shape, share = kept_shape(x.shape, axis), _share(x.shape, axis)
    last = _image_orders.keeps(x, gy)
    gx = _image_orders.empty(x.shape, x.dtype, last)
    x, gy, out, *statistics = _image_orders.in_memory([
        x, gy, gx, *[each.reshape(shape) for each in (gamma, mean, inv_std, *sums)]],
        last)
    if fixed:
        _elementwise(
            'G gy, P gamma, S inv_std', 'T gx', 'gx = S(gy) * (S(gamma) * inv_std)',
            'normalization_fixed_grad')(gy, statistics[0], statistics[2], out)
    else:
        _elementwise(
            _INPUTS + 'S by_gamma, S by_beta, S share', 'T gx', '''
                const S factor = S(gamma) * inv_std;
                gx = chainer_fast::normalization::normalized_grad<S>(
                    x, gy, mean, by_beta * share, factor,
                    -factor * inv_std * by_gamma * share)
            ''', 'normalization_batch_grad')(
                x, gy, *statistics, share, out)
    return gx, *results


def _share(shape, axis):
    """Reciprocal of the number of elements along axes."""
    return 1 / max(math.prod([shape[i] for i in axis]), 1)


def fixed_backward(
        x: NdArray, gamma: NdArray, gy: NdArray, mean: NdArray, inv_std: NdArray,
        inv_var: NdArray, axis: tuple[int, ...]) -> tuple[NdArray, ...]:
    gx, ggamma, gbeta = batch_backward(x, gamma, gy, mean, inv_std, axis, True)
    gmean, gvar = _elementwise(
        'P gamma, S inv_std, S inv_var, P ggamma, P gbeta', 'P gmean, P gvar', '''
            gmean = -S(gamma) * inv_std * S(gbeta);
            gvar = S(-0.5) * S(ggamma) * S(gamma) * inv_var
        ''', 'normalization_fixed_statistics')(gamma, inv_std, inv_var, ggamma, gbeta)
    return gx, ggamma, gbeta, gmean, gvar


# --------------------------------------------------------------------------- groups

def _by_group(array, groups):
    """View of an array of shape ``(N, C, ...)`` with an axis for the groups."""
    n, channels, *rest = array.shape
    return array.reshape(n, groups, channels // groups, *rest)


def _groups(x, groups):
    """``x`` by group, axes of a group's elements, and shapes of the other arrays."""
    x = _by_group(x, groups)
    axis = tuple(range(2, x.ndim))
    of_channels = (1, *x.shape[1:3], *[1] * (x.ndim - 3))
    return x, axis, kept_shape(x.shape, axis), of_channels


def group_forward(
        x: NdArray, gamma: NdArray, beta: NdArray, groups: int,
        eps: float) -> tuple[NdArray, NdArray, NdArray]:
    dtype = interm(x, gamma)
    y = cuda.cupy.empty(x.shape, x.dtype)
    x, axis, of_groups, of_channels = _groups(x, groups)
    mean, _, inv_std = _statistics(x, axis, eps, dtype)
    _elementwise(
        'T x, P gamma, P beta, M mean, S inv_std', 'T y',
        'y = S(gamma) * %s + S(beta)' % _X_HAT, 'normalization_apply_group')(
            x, gamma.reshape(of_channels), beta.reshape(of_channels),
            mean.reshape(of_groups), inv_std.reshape(of_groups), _by_group(y, groups))
    return y, mean.reshape(-1), inv_std.reshape(-1)


def group_backward(
        x: NdArray, gamma: NdArray, gy: NdArray, mean: NdArray, inv_std: NdArray,
        groups: int) -> tuple[NdArray, NdArray, NdArray]:
    gx = cuda.cupy.empty(x.shape, x.dtype)
    x, axis, of_groups, of_channels = _groups(x, groups)
    gy = _by_group(gy, groups)
    gamma_kept = gamma.reshape(of_channels)
    mean, inv_std = mean.reshape(of_groups), inv_std.reshape(of_groups)
    by_mean, by_scale = _empty(2, of_groups, inv_std.dtype)
    reduction.reduce(
        _sums('Pair', 'T x, G gy, P gamma, M mean, S inv_std',
              'chainer_fast::normalization::Products::of('
              '%s, S(gy) * S(gamma), S(0))' % _X_HAT),
        (x, gy, gamma_kept, mean, inv_std), axis, 'S by_mean, S by_scale',
        'by_mean = a.first, by_scale = a.second', (by_mean, by_scale), inv_std.dtype,
        'normalization_group_sums')
    ggamma, gbeta = _empty(2, gamma.shape, gamma.dtype)
    reduction.reduce(
        _PRODUCTS, (x, gy, mean, inv_std), (0, *axis[1:]), 'P ggamma, P gbeta',
        'ggamma = a.second, gbeta = a.first',
        [each.reshape(of_channels[1:3]) for each in (ggamma, gbeta)], inv_std.dtype,
        'normalization_channel_sums')
    _elementwise(
        _INPUTS + 'S by_mean, S by_scale, S share', 'T gx', '''
            gx = chainer_fast::normalization::normalized_grad<S>(
                x, S(gy) * S(gamma), mean, by_mean * share, inv_std,
                -inv_std * inv_std * by_scale * share)
        ''', 'normalization_group_grad')(
            x, gy, gamma_kept, mean, inv_std, by_mean, by_scale,
            _share(x.shape, axis), _by_group(gx, groups))
    return gx, ggamma, gbeta


# ---------------------------------------------------------------- neighbouring channels

# Loops over the neighbours of an element; `at` is the index of one.
_NEIGHBOURS = '''
    const ptrdiff_t channel = i / inner % channels;
    const ptrdiff_t first = channel < reach ? -channel : -reach;
    const ptrdiff_t behind = channels - 1 - channel;
    for (ptrdiff_t k = first; k <= (behind < reach ? behind : reach); ++k) {
        const ptrdiff_t at = i + k * inner;
        VISIT
    }
'''


def _channels(x, half):
    """Number of channels, elements per channel, and neighbours on each side."""
    return x.shape[1], math.prod(x.shape[2:]), half


def response_forward(
        x: NdArray, half: int, k: float, alpha: float,
        beta: float) -> tuple[NdArray, NdArray, NdArray]:
    y = cuda.cupy.empty(x.shape, x.dtype)
    unit_scale, scale = _empty(2, x.shape, interm(x, x))
    _elementwise(
        'raw T x, int64 channels, int64 inner, int64 reach, S k_, S alpha, S beta',
        'T y, S unit, S scale',
        'S sum = 0;' + _NEIGHBOURS.replace(
            'VISIT', 'sum += S(x[at]) * S(x[at]);') + '''
            unit = alpha * sum + k_;
            scale = pow(unit, -beta);
            y = S(x[i]) * scale
        ''', 'local_response')(
            cuda.cupy.ascontiguousarray(x), *_channels(x, half), k, alpha, beta, y,
            unit_scale, scale)
    return y, unit_scale, scale


def response_backward(
        x: NdArray, gy: NdArray, unit_scale: NdArray, scale: NdArray, half: int,
        alpha: float, beta: float) -> NdArray:
    contiguous = map(cuda.cupy.ascontiguousarray, (x, gy, unit_scale, scale))
    gx = cuda.cupy.empty(x.shape, x.dtype)
    _elementwise(
        'raw T x, raw G gy, raw S unit, raw S scale, int64 channels, int64 inner, '
        'int64 reach, S factor', 'T gx',
        'S terms = 0;' + _NEIGHBOURS.replace('VISIT', '''
            terms += chainer_fast::normalization::response_term<S>(
                x[at], gy[at], unit[at], scale[at]);
        ''') + '''
            gx = chainer_fast::normalization::response_grad<S>(
                x[i], gy[i], scale[i], terms, factor)
        ''', 'local_response_grad')(
            *contiguous, *_channels(x, half), -2 * alpha * beta, gx)
    return gx


# -------------------------------------------------------------------------- vectors

def _squares(params, g):
    return _sums(
        'Pair', params, 'chainer_fast::normalization::Squares::of(S(x), %s, 0)' % g)


def length_forward(x: NdArray, axis: tuple[int, ...], eps: float) -> NdArray:
    axes = reduction.in_order(axis, x.ndim)
    if axes is None:
        return NotImplemented
    norm = cuda.cupy.empty(kept_shape(x.shape, axes), interm(x, x))
    reduction.reduce(
        _squares('T x', 'S(0)'), (x,), axes, 'S norm', 'norm = sqrt(a.first) + eps',
        (norm,), norm.dtype, 'vector_length', ', S eps', (eps,))
    return _elementwise(
        'T x, S norm', 'T y', 'y = S(x) / norm', 'divide_by_length')(x, norm)


def length_backward(
        x: NdArray, gy: NdArray, axis: tuple[int, ...], eps: float) -> NdArray:
    axes = reduction.in_order(axis, x.ndim)
    if axes is None:
        return NotImplemented
    norm, along = _empty(2, kept_shape(x.shape, axes), interm(x, gy))
    reduction.reduce(
        _squares('T x, G gy', 'S(gy)'), (x, gy), axes, 'S norm, S along',
        'norm = sqrt(a.first) + eps, '
        'along = a.first == 0 ? S(0) : a.second / (sqrt(a.first) * norm)',
        (norm, along), norm.dtype, 'vector_length_grad', ', S eps', (eps,))
    return _elementwise(
        'T x, G gy, S norm, S along', 'T gx', 'gx = (S(gy) - S(x) * along) / norm',
        'divide_by_length_grad')(x, gy, norm, along)
