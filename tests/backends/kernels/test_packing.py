"""Arrays in a flat buffer and back: each form against plain copies."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast import using_config
from chainer_fast.backends.kernels import packing
from tests.compare import assert_array_equal
from tests.devices import to_cpu

FLOATS = st.sampled_from('efd')
SHAPES = hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=7)


def _gaps(x):
    return np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x


def _unaligned(x):
    y = np.ndarray(x.shape, x.dtype, bytearray(x.nbytes + 1), 1)
    y[...] = x
    return y


#: Arrays with the same values in other places.
LAYOUTS = {
    'C': np.ascontiguousarray,
    'F': np.asfortranarray,
    'channels last': lambda x: x if x.ndim < 3 else np.moveaxis(
        np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1),
    'gaps': _gaps,
    'reversed': lambda x: np.ascontiguousarray(x[::-1])[::-1] if x.ndim else x,
    'unaligned': _unaligned,
    'swapped bytes': lambda x: x.astype(x.dtype.newbyteorder()),
}


@st.composite
def lists_of_arrays(draw, layouts=tuple(LAYOUTS)):
    """Arrays of any floats, shapes and layouts, with numbers that are often equal."""
    arrays = []
    for shape, kind, layout in draw(st.lists(st.tuples(
            SHAPES, FLOATS, st.sampled_from(layouts)), max_size=6)):
        values = np.random.RandomState(len(arrays)).randn(*shape)
        arrays.append(LAYOUTS[layout](np.asarray(values, kind).reshape(shape)))
    return arrays


def expected_buffer(arrays, kind):
    return np.concatenate(
        [np.empty(0, kind), *[array.astype(kind).ravel() for array in arrays]])


def scaled(part, like, scale):
    """What one array has to be."""
    if scale != 1:
        wide = np.result_type(part, like, 'f')
        part = part.astype(wide) * wide.type(scale)
    return part.reshape(like.shape).astype(like.dtype)


def check_unpacked(arrays, buffer, scale):
    begin = 0
    for array in arrays:
        part = buffer[begin:begin + array.size]
        assert_array_equal(array, scaled(part, array, scale))
        begin += array.size


@given(lists_of_arrays(), FLOATS)
def test_pack(arrays, kind):
    buffer = np.full(sum(array.size for array in arrays), np.nan, kind)
    packing.pack(arrays, buffer)
    assert_array_equal(buffer, expected_buffer(arrays, kind))


@given(lists_of_arrays(), FLOATS, st.sampled_from([1., .5, 1 / 3, 0.]))
def test_unpack(arrays, kind, scale):
    size = sum(array.size for array in arrays)
    buffer = np.random.RandomState(7).randn(size).astype(kind)
    packing.unpack(buffer, arrays, scale)
    check_unpacked(arrays, buffer, scale)


@given(lists_of_arrays(['C', 'F', 'channels last', 'gaps', 'reversed']), FLOATS)
def test_the_compiled_form_takes_every_layout(arrays, kind):
    buffer = np.empty(sum(array.size for array in arrays), kind)
    assert packing._pack.compiled(buffer, arrays) is None
    assert packing._unpack.compiled(buffer, arrays, .5) is None


@pytest.mark.parametrize('threads', [1, 3])
def test_long_arrays_are_cut_anywhere(threads):
    random = np.random.RandomState(0)
    arrays = [np.asarray(random.rand(*shape), kind) for shape, kind in [
        ((100003,), 'f'), ((64, 3, 7, 7), 'e'), ((), 'd'), ((300, 401), 'd'),
        ((512, 65, 3, 3), 'f')]]
    arrays[-1] = LAYOUTS['channels last'](arrays[-1])
    arrays[-2] = arrays[-2].T
    buffer = np.empty(sum(array.size for array in arrays), 'f')
    with using_config('num_threads', threads):
        packing.pack(arrays, buffer)
        assert_array_equal(buffer, expected_buffer(arrays, 'f'))
        packing.unpack(buffer, arrays, .25)
    check_unpacked(arrays, buffer, .25)


@pytest.mark.parametrize('shape', [
    (2, 31, 3, 3), (2, 32, 3, 3), (1, 33, 2), (3, 65, 5, 5), (2, 131, 17),
    (1, 40, 1030), (1, 500, 3, 3), (70, 100, 1, 1)])
@pytest.mark.parametrize('kinds', ['ff', 'dd', 'ee', 'fe', 'ef', 'df', 'fd', 'ed'])
@pytest.mark.parametrize('layout', ['F', 'channels last'])
def test_rows_that_are_turned(shape, kinds, layout):
    array_kind, buffer_kind = kinds
    values = np.random.RandomState(0).randn(*shape).astype(array_kind)
    array = LAYOUTS[layout](values)
    buffer = np.empty(array.size, buffer_kind)
    packing.pack([array], buffer)
    assert_array_equal(buffer, expected_buffer([values], buffer_kind))
    for scale in (1., 1 / 3):
        array[...] = 0
        packing.unpack(buffer, [array], scale)
        check_unpacked([array], buffer, scale)


@given(st.lists(st.floats() | st.floats(width=16) | st.floats(65000, 66000)
                | st.floats(-1e-4, 1e-4)), FLOATS, FLOATS)
def test_numbers_are_rounded_once(numbers, kind, buffer_kind):
    with np.errstate(all='ignore'):
        array = np.array(numbers, kind)
        buffer = np.empty(array.size, buffer_kind)
        packing.pack([array], buffer)
        assert_array_equal(buffer, array.astype(buffer_kind))
        packing.unpack(buffer, [array])
        assert_array_equal(array, buffer.astype(kind))


@pytest.mark.parametrize('kind,number,to', [
    ('f', 1e5, 'e'), ('d', 1e5, 'e'), ('d', 65521., 'e'), ('d', 1e300, 'f')])
def test_numbers_that_are_too_large(kind, number, to):
    buffer = np.empty(2, to)
    with pytest.warns(RuntimeWarning, match='overflow'):
        packing.pack([np.array([number, -number], kind)], buffer)
    assert_array_equal(buffer, [np.inf, -np.inf])


# -- on every device


@pytest.mark.parametrize('kind', 'efd')
def test_pack_and_unpack(device, kind):
    shapes = [(3, 4, 5), (7,), (), (0, 2), (5000,), (2, 3, 4, 5)]
    random = np.random.RandomState(0)
    for kinds in ('ffffff', 'efdefd', 'eeeeed'):
        arrays = [np.asarray(random.randn(*shape), each)
                  for shape, each in zip(shapes, kinds, strict=True)]
        sent = device.send(arrays)
        sent[-1] = device.xp.moveaxis(device.xp.ascontiguousarray(
            device.xp.moveaxis(sent[-1], 1, -1)), -1, 1)
        buffer = device.xp.empty(sum(array.size for array in arrays), kind)
        packing.pack(sent, buffer)
        assert_array_equal(buffer, expected_buffer(arrays, kind))
        packing.unpack(buffer, iter(sent), 1 / 3)
        check_unpacked(sent, to_cpu(buffer), 1 / 3)


def test_arrays_that_are_packed_twice(device):
    x = device.send(np.arange(3, dtype='f'))
    buffer = device.xp.empty(9, 'f')
    packing.pack([x, x, device.xp.broadcast_to(x[1], 3)], buffer)
    assert_array_equal(buffer, [0, 1, 2, 0, 1, 2, 1, 1, 1])


def test_nothing_to_pack(device):
    packing.pack([], device.xp.empty(0, 'f'))
    packing.unpack(device.xp.empty(0, 'f'), [device.xp.empty((3, 0), 'e')])


def check_refused(error, match, arrays, buffer):
    """Refuse to unpack, and to pack unless only unpacking is wrong; change nothing."""
    given = [each for each in (*arrays, buffer) if hasattr(each, 'flags')]
    before = [to_cpu(each).copy() for each in given]
    with pytest.raises(error, match=match):
        packing.unpack(buffer, arrays)
    if 'array 0 and array 1' not in match and 'array 0 is' not in match:
        with pytest.raises(error, match=match):
            packing.pack(arrays, buffer)
    for each, old in zip(given, before, strict=True):
        assert_array_equal(each, old)


def test_what_is_refused(device):
    xp = device.xp
    x = xp.arange(6, dtype='f')
    other = xp.zeros(6, 'f')
    check_refused(ValueError, 'the arrays have 6 elements .* not 7', [x], xp.zeros(7))
    check_refused(ValueError, 'must be contiguous', [x[:3]], other[::2])
    check_refused(ValueError, r'one axis, got the shape \(2, 3\)', [x],
                  other.reshape(2, 3))
    check_refused(TypeError, 'array 1 must have a dtype of floats, got int32',
                  [x[:5], xp.zeros(1, 'i')], other)
    check_refused(TypeError, 'the buffer must have a dtype of floats, got int64', [x],
                  xp.zeros(6, 'l'))
    check_refused(TypeError, 'array 1 must be a .*ndarray .* got float',
                  [x[:5], 3.], other)
    check_refused(TypeError, 'array 0 must be .* got NoneType', [None], other)
    check_refused(ValueError, 'array 0 and the buffer have memory in common', [x[:4]],
                  x[2:])
    check_refused(ValueError, 'array 0 and array 1 have memory', [x[:4], x[3:5]], other)


@pytest.mark.host
def test_what_is_refused_of_numpy():
    x, other = np.arange(6, dtype='f'), np.zeros(6, 'f')
    fixed = x.copy()
    fixed.flags.writeable = False
    check_refused(ValueError, 'array 0 is read-only', [fixed], other)
    with pytest.raises(ValueError, match='the buffer is read-only'):
        packing.pack([x], fixed)
    windows = np.lib.stride_tricks.as_strided(x, (3, 2), (4, 4))
    with pytest.raises(ValueError, match='array 0 has elements that share memory'):
        packing.unpack(other, [windows])


@pytest.mark.gpu
def test_arrays_of_several_devices_are_refused(device):
    x = device.send(np.zeros(3, 'f'))
    with pytest.raises(TypeError, match='array 0 must be a cupy.ndarray'):
        packing.pack([np.zeros(3, 'f')], x)
    with pytest.raises(TypeError, match='array 0 must be a numpy.ndarray'):
        packing.unpack(np.zeros(3, 'f'), [x])


@pytest.mark.gpu
def test_launches(device):
    """One for each dtype and about two hundred arrays; no copies to the device."""
    from tests.doubles.host_cupy import ledger
    arrays = [device.xp.full(i % 7, i, 'fd'[i % 10 == 0]) for i in range(250)]
    expected = expected_buffer(to_cpu(arrays), 'f')
    buffer = device.xp.empty(sum(array.size for array in arrays), 'f')
    with ledger.record() as counts:
        packing.pack(arrays, buffer)
        packing.unpack(buffer, arrays, .5)
    assert len(counts.launches) == 6
    assert not counts.to_device and not counts.to_host
    assert_array_equal(buffer, expected)
    check_unpacked(arrays, expected, .5)
