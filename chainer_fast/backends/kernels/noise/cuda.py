"""Random masks on a GPU; see :mod:`chainer_fast.backends.kernels.noise`."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import _image_orders, _uniform, cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.elements import Elements
from chainer_fast.types import NdArray

_ELEMENTS = 'chainer_fast/backends/kernels/noise/elements.hpp'
_ACTIVATION = 'chainer_fast/backends/kernels/activation/elements.hpp'

elements = Elements(_ELEMENTS)
gaussian: tp.Any = elements.form('shift_and_scale', 3, outputs=2)
gaussian_grad: tp.Any = elements.form('half_product', 2)


def dropout(x: NdArray, ratio: float) -> tuple[NdArray, NdArray]:
    drawn = _uniform.rand(*x.shape, dtype=cuda.cupy.float32)
    last = _image_orders.keeps(x)
    y, mask = [_image_orders.empty(x.shape, x.dtype, last) for _ in range(2)]
    scale = x.dtype.type(1. / (1 - float(ratio)))
    x, drawn, *results = _image_orders.in_memory([x, drawn, y, mask], last)
    cuda.elementwise(
        'T x, float32 drawn, float32 ratio, T scale', 'T y, T mask',
        'chainer_fast::noise::drop_or_scale<T>('
        'x, chainer_fast::noise::below_one(drawn) >= ratio, scale, y, mask)', 'dropout',
        preamble=header(_ELEMENTS))(
            x, drawn, ratio, scale, *results)
    return y, mask


def zoneout(h: NdArray, x: NdArray, ratio: float) -> tuple[NdArray, ...]:
    if x.dtype.kind != 'f' or (h.dtype, h.shape) != (x.dtype, x.shape):
        return NotImplemented
    y = cuda.cupy.empty(x.shape, x.dtype)
    flags = [cuda.cupy.empty(x.shape, '?') for _ in range(2)]
    cuda.elementwise(
        'T h, T x, float64 drawn, float64 ratio', 'T y, bool flag_h, bool flag_x',
        'flag_x = chainer_fast::noise::below_one(drawn) >= ratio; flag_h = !flag_x; '
        'y = chainer_fast::activation::Mix::of<decltype(T() + T())>(h, x, flag_h)',
        'zoneout', preamble=header(_ELEMENTS) + header(_ACTIVATION))(
            h, x, _uniform.rand(*x.shape), ratio, y, *flags)
    return (y, *flags)


def zoneout_grad(
        gy: NdArray, flag_h: NdArray, flag_x: NdArray) -> tuple[NdArray, NdArray]:
    if gy.dtype.kind != 'f':
        return NotImplemented
    gh, gx = [cuda.cupy.empty(gy.shape, gy.dtype) for _ in range(2)]
    cuda.elementwise(
        'T gy, bool flag_h', 'T gh, T gx',
        'gh = flag_h ? gy : T(0); gx = flag_h ? T(0) : gy', 'zoneout_grad')(
            gy, flag_h, gh, gx)
    return gh, gx


def rrelu(x: NdArray, lower: float, upper: float) -> tuple[NdArray, NdArray]:
    if x.dtype.kind != 'f':
        return NotImplemented
    y, slopes = [cuda.cupy.empty(x.shape, x.dtype) for _ in range(2)]
    cuda.elementwise(
        'T x, float64 drawn, float64 lower, float64 upper', 'T y, T slope',
        'slope = lower + chainer_fast::noise::below_one(drawn) * (upper - lower); '
        'y = chainer_fast::activation::Bend::of<decltype(T() + T())>(x, x, slope)',
        'rrelu', preamble=header(_ELEMENTS) + header(_ACTIVATION))(
            x, _uniform.rand(*x.shape), lower, upper, y, slopes)
    return y, slopes
