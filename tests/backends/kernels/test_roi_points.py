import ctypes
import subprocess

import pytest

from chainer_fast.backends.kernels.roi import points
from chainer_fast.functions.pooling import roi_average_align_2d, roi_pooling_2d

# What Chainer 7.8.1 answers for axes of four pixels and of one.
BOUNDS = [
    (-2., (None, None, None), (None, None, None)),
    (-1., (0, -1, 0), (0, -1, 0)),
    (-.5, (0, -1, 0), (0, -1, 0)),
    (0., (0, 0, 1), (0, 0, 1)),
    (.3, (.3, 0, 1), (0, 0, 1)),
    (2., (2, 2, 3), (None, None, None)),
    (2.5, (2.5, 2, 3), (None, None, None)),
    (3., (3, 3, 4), (None, None, None)),
    (3.2, (3, 3, 4), (None, None, None)),
    (4., (3, 3, 4), (None, None, None)),
    (4.5, (None, None, None), (None, None, None)),
]


@pytest.mark.parametrize('p, four, one', BOUNDS)
def test_bounds(p, four, one):
    assert roi_average_align_2d._get_bounds(p, 4) == four
    assert roi_average_align_2d._get_bounds(p, 1) == one


@pytest.mark.parametrize('place, weights', [
    ((1.3, 2.6, 1, 2, 2, 3), (.28, .42, .12, .18)),
    ((0., 0., 0, 0, 1, 1), (1, 0, 0, 0)),
    ((3., .5, 3, 0, 3, 1), (0, 0, 0, 0)),
    ((-.3, 1.2, 0, 1, 1, 2), (1.04, .26, -.24, -.06)),
])
def test_weights(place, weights):
    found = roi_average_align_2d._get_bilinear_interp_params(*place)
    assert found == pytest.approx(weights)


@pytest.mark.parametrize('arguments, pixels', [
    ((0, 1.5, 8, 1), (1, 3)), ((2, 1.5, 8, 0), (3, 5)), ((6, 1.5, 8, 3), (8, 8)),
    ((0, .3, 8, 7), (7, 8)), ((3, 2., 4, -3), (3, 4)), ((1, 1., 8, 2), (3, 4)),
])
def test_slice(arguments, pixels):
    low, high = pixels
    assert roi_pooling_2d._roi_pooling_slice(*arguments) == (
        slice(low, high), high - low)


def test_source_for_kernels_says_the_same(tmp_path):
    source, library = tmp_path / 'points.cpp', tmp_path / 'points.so'
    source.write_text('''
#include <cmath>
using std::floor;
#define __device__
%s
extern "C" bool bounds(float *p, int limit, int *low, int *high) {
    return get_bounds(*p, limit, *low, *high);
}
extern "C" void weights(float y, float x, int *pixels, float *w) {
    get_bilinear_interp_params(y, x, pixels[0], pixels[1], pixels[2], pixels[3],
                               w[0], w[1], w[2], w[3]);
}
''' % roi_average_align_2d._GET_BILINEAR_INTERP_KERNEL)
    subprocess.run(['g++', '-shared', '-fPIC', '-o', library, source], check=True)
    compiled = ctypes.CDLL(str(library))
    compiled.bounds.restype = ctypes.c_bool
    for p, expected, _ in BOUNDS:
        place, low, high = ctypes.c_float(p), ctypes.c_int(), ctypes.c_int()
        inside = compiled.bounds(
            ctypes.byref(place), 4, ctypes.byref(low), ctypes.byref(high))
        assert inside == (expected[0] is not None)
        if inside:
            assert (low.value, high.value) == expected[1:]
            assert place.value == pytest.approx(expected[0])
    weights = (ctypes.c_float * 4)()
    compiled.weights(
        ctypes.c_float(1.3), ctypes.c_float(2.6), (ctypes.c_int * 4)(1, 2, 2, 3),
        weights)
    assert list(weights) == pytest.approx(
        points.get_bilinear_interp_params(1.3, 2.6, 1, 2, 2, 3), rel=1e-5)
