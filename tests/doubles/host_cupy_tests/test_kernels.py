"""Kernels of the stand-in are as strict as CuPy's."""
import json

import numpy as np
import pytest

from tests.doubles.host_cupy import array, device, kernels, ledger, raw
from tests.doubles.host_cupy.compiler import CompileException, KernelError

scale = kernels.ElementwiseKernel('T x, T c', 'T y', 'y = x * c', 'scale')
total = kernels.ReductionKernel(
    'T in0', 'T out0', 'in0', 'a + b', 'out0 = a', '0', 'total')


def values(shape, dtype='f'):
    return np.random.RandomState(0).uniform(-1, 1, shape).astype(dtype)


def layouts(host):
    """The same values in other orders of memory."""
    gaps = np.zeros((*host.shape[:-1], 2 * host.shape[-1]), host.dtype)[..., ::2]
    gaps[...] = host
    backward = np.ascontiguousarray(host[::-1])[::-1]
    return [array.wrap(each)
            for each in (host, np.asfortranarray(host), gaps, backward)]


@pytest.mark.parametrize('dtype', ['e', 'f', 'd', 'i', 'q', 'B'])
def test_elementwise(dtype):
    host = (10 * values((3, 4, 5))).astype(dtype)
    for x in layouts(host):
        y = scale(x, 3)
        assert y.dtype == host.dtype
        np.testing.assert_array_equal(y._host, host * host.dtype.type(3))


def test_numbers_never_decide_types():
    x = array.wrap(values(3))
    assert scale(x, np.float64(2)).dtype == 'f'
    with pytest.raises(KeyError, match='U'):
        kernels.ElementwiseKernel('T x, U c', 'T y', 'y = x * c')(x, 2.)


@pytest.mark.parametrize('other', [values(3), values(()), [1, 2, 3], None, 'x'])
def test_operands_of_other_kinds(other):
    with pytest.raises(TypeError, match='Unsupported type'):
        scale(array.wrap(values(3)), other)


def test_arrays_are_not_converted():
    with pytest.raises(TypeError, match='mismatched'):
        scale(array.wrap(values(3)), array.wrap(values(3, 'd')))


def test_numbers_that_do_not_fit():
    kernel = kernels.ElementwiseKernel('T x, uint8 n', 'T y', 'y = n')
    assert kernel(array.wrap(values(2)), 255)._host.tolist() == [255, 255]
    with pytest.raises(OverflowError):
        kernel(array.wrap(values(2)), -1)


def test_other_devices():
    with device.Device(1):
        x = array.wrap(values(3))
    with pytest.raises(ValueError, match='different from the current device'):
        scale(x, 1)


def test_broadcasting_and_outputs():
    a, b = values((4, 1)), values((2, 1, 3))
    y = scale(array.wrap(a), array.wrap(b))
    np.testing.assert_array_equal(y._host, a * b)
    out = array.wrap(np.zeros((3, 4, 2), 'f').T)
    assert scale(array.wrap(a), array.wrap(b), out) is out
    np.testing.assert_array_equal(out._host, a * b)
    with pytest.raises(ValueError, match='Out shape is mismatched'):
        scale(array.wrap(a), array.wrap(b), array.wrap(np.zeros((2, 4, 1), 'f')))
    with pytest.raises(TypeError, match=r'cupy\.ndarray'):
        scale(array.wrap(a), array.wrap(b), 1.)


def test_an_output_may_be_an_input():
    x = array.wrap(values((2, 3)))
    expected = x._host * 2
    scale(x, 2, x)
    np.testing.assert_array_equal(x._host, expected)


def test_elements_must_not_lean_on_their_order():
    kernel = kernels.ElementwiseKernel(
        'raw T x', 'T y', 'y = i > 0 ? x[i - 1] + 1 : 0', 'ladder')
    x = array.wrap(np.zeros(100, 'f'))
    kernel(x, x)
    assert x._host.tolist() != list(range(100))


def test_raw_arrays_and_sizes():
    kernel = kernels.ElementwiseKernel(
        'raw T x, int32 n', 'raw T y', 'y[i] = x[n - 1 - i]', 'backward')
    for x in layouts(values((3, 4))):
        y = array.wrap(np.zeros(12, 'f'))
        kernel(x, 12, y, size=12)
        np.testing.assert_array_equal(y._host, x._host.ravel()[::-1])
    with pytest.raises(ValueError, match='Loop size is undecided'):
        kernel(x, 12, y)
    with pytest.raises(KernelError, match='used index 12 of an array of 12'):
        kernel(x, 13, y, size=12)
    with pytest.raises(ValueError, match='all of the ndarray are'):
        scale(x, 2, size=12)


def test_axes_are_merged():
    x = values((2, 3, 4))
    for host, merged in (x, 1), (x[:, :2], 2), (x[:, ::2, ::2], 3):
        for reduce_dims, ndim in (True, merged), (False, 3):
            kernel = kernels.ElementwiseKernel(
                'T x', 'T y', 'y = _ind.ndim', 'ndim', reduce_dims=reduce_dims)
            assert kernel(array.wrap(host))._host.max() == ndim


def test_pointers_into_gaps():
    kernel = kernels.ElementwiseKernel(
        'raw T x', 'T y', 'const T* first = &x[0]; y = first[i]', 'pointer')
    x, y = values((3, 4)), array.wrap(values(4))
    np.testing.assert_array_equal(kernel(array.wrap(x), y)._host, x[0])
    with pytest.raises(ValueError, match='not contiguous'):
        kernel(array.wrap(x.T), y)


def test_several_outputs_and_none():
    kernel = kernels.ElementwiseKernel('T x', 'T y, bool z', 'y = -x; z = x > 0', 'two')
    x = values(5)
    y, z = kernel(array.wrap(x))
    np.testing.assert_array_equal(y._host, -x)
    np.testing.assert_array_equal(z._host, x > 0)
    one = kernels.ElementwiseKernel('T x', 'T y', 'y = x', return_tuple=True)
    assert len(one(array.wrap(x))) == 1
    none = kernels.ElementwiseKernel('T x', 'T y', 'y = x', no_return=True)
    assert none(array.wrap(x)) is None


def test_code_around_the_loop():
    kernel = kernels.ElementwiseKernel(
        'T x', 'raw T y', 'sum += x', 'around', loop_prep='T sum = 0',
        after_loop='atomicAdd(&y[0], sum)')
    y = array.wrap(np.zeros(1, 'f'))
    kernel(array.wrap(np.ones(300, 'f')), y)
    assert y._host == 300


def test_half_floats():
    # Of other types of arguments, the class does not exist with CuPy 14.
    kernel = kernels.ElementwiseKernel('T x', 'T y', 'float16 h = x; y = h', 'halves')
    assert kernel(array.wrap(values(3, 'e'))).dtype == 'e'
    with pytest.raises(CompileException, match='float16'):
        kernel(array.wrap(values(3)))


def test_nothing_is_launched_for_nothing():
    with ledger.record() as counts:
        assert scale(array.wrap(values((0, 3))), 2).shape == (0, 3)
        assert total(array.wrap(values((3, 0))), axis=0).shape == (0,)
        scale(array.wrap(values(3)), 2)
    assert counts.launches == ['scale']


@pytest.mark.parametrize('axis', [None, 0, 1, -1, (0, 2), (2, 1), ()])
@pytest.mark.parametrize('keepdims', [False, True])
def test_reduction(axis, keepdims):
    for x in layouts(values((7, 40, 5))):
        y = total(x, axis=axis, keepdims=keepdims)
        expected = x._host.sum(axis=axis, keepdims=keepdims)
        assert y.shape == expected.shape
        np.testing.assert_allclose(y._host, expected, 1e-4, 1e-5)
        out = array.wrap(np.zeros(expected.shape, 'f', 'F'))
        assert total(x, out=out, axis=axis, keepdims=keepdims) is out
        np.testing.assert_array_equal(out._host, y._host)


MOMENTS = '''
struct Moments {
    float n, mean, square;
    __device__ Moments() : n(0), mean(0), square(0) {}
    __device__ Moments(float x) : n(1), mean(x), square(0) {}
};
__device__ Moments join(const Moments& a, const Moments& b) {
    if (a.n == 0 || b.n == 0) return a.n == 0 ? b : a;
    Moments out;
    float d = b.mean - a.mean;
    out.n = a.n + b.n;
    out.mean = a.mean + d * b.n / out.n;
    out.square = a.square + b.square + d * d * a.n * b.n / out.n;
    return out;
}'''


def test_reduction_with_several_outputs():
    kernel = kernels.ReductionKernel(
        'T x', 'T mean, T var', 'Moments(x)', 'join(a, b)',
        '(mean = a.mean, var = a.square / a.n)', 'Moments()', 'moments',
        reduce_type='Moments', preamble=MOMENTS)
    x = values((60, 3, 50))
    mean, var = array.ndarray((3,), 'f'), array.ndarray((3,), 'f')
    with ledger.record() as counts:
        assert kernel(array.wrap(x), mean, var, axis=(0, 2)) is mean
    assert counts.launches == ['moments']
    np.testing.assert_allclose(mean._host, x.mean((0, 2)), 1e-4, 1e-5)
    np.testing.assert_allclose(var._host, x.var((0, 2)), 1e-4)
    with pytest.raises(NotImplementedError):
        kernel(array.wrap(x), out=mean)


def test_reduction_of_nothing():
    assert total(array.wrap(values((0, 3))), axis=0)._host.tolist() == [0, 0, 0]


def test_reduction_without_identity():
    largest = kernels.ReductionKernel(
        'T in0', 'T out0', 'in0', 'max(a, b)', 'out0 = a', None, 'largest')
    with pytest.raises(ValueError, match='no identity'):
        largest(array.wrap(values((3, 0))), axis=1)


@pytest.mark.parametrize(('code', 'message'), [
    (('T x', 'T y', 'exp(x)', 'a + b', 'y = a'), 'ein0p'),
    (('T in0', 'T out0', 'in0', 'a + b', 'out0 = a / _in_ind.size()'), '_in_ind')])
def test_reductions_that_cub_does_not_take(code, message):
    with pytest.raises(CompileException, match=message):
        kernels.ReductionKernel(*code, '0', 'bad')(array.wrap(values((3, 4))))


def test_raw_kernel():
    kernel = raw.RawKernel('''
    struct Arrays { float* at[2]; int n; };
    extern "C" __global__ void f(Arrays arrays, const float* x, float factor) {
        if (threadIdx.x < arrays.n) {
            arrays.at[blockIdx.x][threadIdx.x] = x[threadIdx.x] * factor;
        }
    }''', 'f')
    outs = [array.wrap(np.zeros(3, 'f')) for _ in range(2)]
    table = np.zeros((), [('at', 'u8', 2), ('n', 'i4'), ('gap', 'i4')])
    table['at'] = [out.data.ptr for out in outs]
    table['n'] = 3
    x = values(3)
    kernel((2,), (32,), (table, array.wrap(x), np.float32(2)))
    for out in outs:
        np.testing.assert_array_equal(out._host, x * 2)
    with pytest.raises(TypeError, match='bytes'):
        kernel((2,), (32,), (table, array.wrap(x), 2.))
    with pytest.raises(TypeError, match='size one'):
        kernel((2,), (32,), (table, x, np.float32(2)))
    with pytest.raises(ValueError, match='not contiguous'):
        kernel((2,), (32,), (table, array.wrap(x[::2]), np.float32(2)))


def test_raw_module():
    module = raw.RawModule(
        code='template <class T> __global__ void f(T* x) { x[threadIdx.x] += 1; }',
        options=('-std=c++11',), name_expressions=('f<float>', 'f<int>'))
    x = array.wrap(np.arange(4, dtype='f'))
    module.get_function('f<float>')((1,), (4,), (x,))
    assert x._host.tolist() == [1, 2, 3, 4]


def test_kernels_are_recorded(tmp_path, monkeypatch):
    path = tmp_path / 'kernels.json'
    monkeypatch.setenv('HOST_CUPY_INSTANCES', str(path))
    kernel = kernels.ElementwiseKernel('T x, T c', 'T y', 'y = x * c', 'recorded')
    for x in layouts(values((3, 4))) * 2:
        kernel(x, 2)
    with pytest.raises(CompileException):
        kernels.ElementwiseKernel('T x', 'T y', 'y = INFINITY')(x)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line['arguments'][0] for line in lines] == [
        ['array', 'float32', 1, True], ['array', 'float32', 2, False]]
    assert {line['init']['name'] for line in lines} == {'recorded'}
    assert lines[0]['letters'] == {'T': 'float32'}
