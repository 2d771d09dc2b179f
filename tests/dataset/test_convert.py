import pickle

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast import Variable, backend, dataset
from chainer_fast.backends import cuda
from chainer_fast.dataset import convert
from tests import compare
from tests.devices import to_cpu

concat = dataset.concat_examples


def assert_same(actual, expected):
    assert type(actual) is type(expected)
    if isinstance(expected, tuple):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            assert_same(a, e)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        for key in expected:
            assert_same(actual[key], expected[key])
    else:
        assert actual.dtype == expected.dtype
        compare.assert_array_equal(actual, expected)


@pytest.mark.parametrize('batch, expected', [
    ([1, 2], numpy.array([1, 2])),
    ([1., 2], numpy.array([1., 2.])),
    ([numpy.float32(1), numpy.float32(2)], numpy.array([1, 2], 'f')),
    ([[1, 2], [3, 4]], numpy.array([[1, 2], [3, 4]])),
    ([numpy.ones(2, 'f')] * 3, numpy.ones((3, 2), 'f')),
    ([numpy.ones(2, 'i'), numpy.ones(2, 'f')], numpy.ones((2, 2))),
    ([(1, 2.), (3, 4.)], (numpy.array([1, 3]), numpy.array([2., 4.]))),
    ([{'b': 1, 'a': 2.}, {'b': 3, 'a': 4.}],
     {'b': numpy.array([1, 3]), 'a': numpy.array([2., 4.])}),
])
@pytest.mark.parametrize('device', [None, -1, '@numpy', backend.CpuDevice()])
def test_concat_examples(batch, expected, device):
    assert_same(concat(batch, device), expected)


@pytest.mark.parametrize('batch', [[], (), None, 0, '', {}, numpy.empty((0, 2))])
@pytest.mark.parametrize('converter', [concat, dataset.ConcatWithAsyncTransfer()])
def test_empty_batch(converter, batch):
    with pytest.raises(ValueError, match='batch is empty'):
        converter(batch)


@pytest.mark.parametrize('batch', [
    ['a', 'b'], [b'a', b'b'], [None, None], [(1, 'a'), (2, 'b')], [{'x': {'y': 1}}],
    [frozenset()], [2 ** 64, 1],
])
@pytest.mark.parametrize('concat', [concat, dataset.ConcatWithAsyncTransfer()])
def test_what_is_no_number(concat, batch):
    with pytest.raises(TypeError, match='cannot|but not'):
        concat(batch)


def test_padding_that_integers_cannot_hold(device):
    x, labels = concat(
        device.send([(numpy.ones(1, 'f'), 1), (numpy.ones(2, 'f'), 2)]),
        padding=numpy.nan)
    compare.assert_array_equal(x, [[1, numpy.nan], [1, 1]])
    compare.assert_array_equal(labels, [1, 2])


def test_variables_become_objects():
    result = concat([Variable(numpy.ones(2, 'f'))] * 3)
    assert (result.dtype, result.shape) == (object, (3, 2))


def test_different_shapes_need_padding(device):
    with pytest.raises(ValueError, match='same shape|must match'):
        concat(device.send([numpy.ones(2), numpy.ones(3)]))


@given(st.lists(
    hnp.arrays('f', hnp.array_shapes(min_dims=2, max_dims=2, max_side=4),
               elements=st.floats(0, 1, width=16)), min_size=1, max_size=4))
def test_padding_fills_what_an_array_does_not_cover(device, arrays):
    result = to_cpu(concat(device.send(arrays), padding=-1))
    assert result.shape == (
        len(arrays), max(a.shape[0] for a in arrays), max(a.shape[1] for a in arrays))
    for row, array in zip(result, arrays, strict=True):
        h, w = array.shape
        compare.assert_array_equal(row[:h, :w], array)
        outside = numpy.ones(row.shape, bool)
        outside[:h, :w] = False
        assert (row[outside] == -1).all()


def test_padding_of_each_element(device):
    short, long = device.send(
        [(numpy.ones(1), numpy.ones(1)), (numpy.ones(2), numpy.zeros(1))])
    x, y = concat([short, long], padding=(7, None))
    compare.assert_array_equal(x, [[1, 7], [1, 1]])
    compare.assert_array_equal(y, [[1], [0]])
    named = concat([{'x': short[0]}, {'x': long[0]}], padding={'x': 3})
    compare.assert_array_equal(named['x'], [[1, 3], [1, 1]])


@pytest.mark.parametrize('dtype, padding, expected', [
    ('u1', -1, 255), ('i4', 1.7, 1), ('f4', numpy.float64(.1), numpy.float32(.1))])
def test_padding_takes_the_dtype_of_the_arrays(device, dtype, padding, expected):
    arrays = device.send([numpy.ones(2, dtype), numpy.ones(1, dtype)])
    result = concat(arrays, padding=padding)
    assert result.dtype == dtype
    assert result[1, 1] == expected


def test_padding_does_not_add_axes(device):
    with pytest.raises(ValueError, match=r'\(2,\), \(1, 1\)'):
        concat(device.send([numpy.ones(2), numpy.ones((1, 1))]), padding=0)


def test_concat_examples_is_a_converter_that_pickles():
    assert isinstance(concat, dataset.Converter)
    assert_same(pickle.loads(pickle.dumps(concat))([1, 2]), numpy.array([1, 2]))


def test_to_device(device):
    x = device.send(numpy.ones(2))
    assert dataset.to_device(None, x) is x
    number = -1 if device.xp is numpy else 0
    assert dataset.to_device(number, x) is x
    assert dataset.to_device(number, (x, None)) == (x, None)
    assert dataset.to_device(None, 'anything') == 'anything'


@pytest.mark.parametrize('spec', [-1, '@numpy', backend.CpuDevice()])
def test_decorated_function_gets_a_device(spec):
    @dataset.converter()
    def f(batch, device):
        return device

    assert f([], None) is None
    assert f([], spec) == backend.CpuDevice()
    assert f([], device=spec) == backend.CpuDevice()


def test_plain_function_gets_an_integer():
    def f(batch, device):
        return batch, device

    assert convert._call_converter(f, [1], None) == ([1], None)
    assert convert._call_converter(f, [1], backend.CpuDevice()) == ([1], -1)


def test_plain_function_cannot_get_a_device_without_an_integer():
    class Other(backend.Device):
        name = '@other'

    with pytest.raises(RuntimeError, match='@other.*converter'):
        convert._call_converter(lambda batch, device: None, [1], Other())


def test_converter_class():
    class Shift(dataset.Converter):
        def __call__(self, batch, device):
            return [x + 1 for x in batch], device

    device = backend.CpuDevice()
    assert convert._call_converter(Shift(), [1], device) == ([2], device)
    with pytest.raises(NotImplementedError):
        dataset.Converter()([1], None)
    with pytest.raises(TypeError, match='int'):
        dataset.converter()(3)


def test_async_transfer_on_the_cpu_is_concat_examples():
    batch = [(1, 2.), (3, 4.)]
    converter = pickle.loads(pickle.dumps(dataset.ConcatWithAsyncTransfer()))
    for _ in range(3):
        assert_same(converter(batch, -1), concat(batch))
    assert_same(dataset.ConcatWithAsyncTransfer()([{'a': 1}]), concat([{'a': 1}]))
    assert_same(dataset.ConcatWithAsyncTransfer()([1, 2], '@numpy'), concat([1, 2]))
    with pytest.raises(ValueError, match='batch is empty'):
        converter([])


def test_async_transfer_has_one_device():
    converter = dataset.ConcatWithAsyncTransfer()
    converter([(1, 2)], None)
    with pytest.raises(ValueError, match='device is different'):
        converter([(1, 2)], -1)


def test_conveyor_returns_arrays_in_order():
    conveyor = convert.Conveyor()
    conveyor.put(numpy.zeros(1))
    conveyor.put(numpy.ones(2))
    assert conveyor.get().size == 1
    assert conveyor.get().size == 2


@pytest.mark.gpu
@pytest.mark.parametrize('converter', [concat, dataset.ConcatWithAsyncTransfer()])
@pytest.mark.parametrize('batch, expected', [
    ([numpy.ones(2, 'f')] * 3, numpy.ones((3, 2), 'f')),
    ([(1, 2.), (3, 4.)], (numpy.array([1, 3]), numpy.array([2., 4.]))),
    ([{'b': 1, 'a': 2.}, {'b': 3, 'a': 4.}],
     {'b': numpy.array([1, 3]), 'a': numpy.array([2., 4.])}),
])
def test_batches_on_a_gpu(device, converter, batch, expected):
    for _ in range(3):
        converted = converter(batch, 0)
        parts = converted if isinstance(converted, tuple) else (
            converted.values() if isinstance(converted, dict) else [converted])
        assert all(isinstance(part, device.xp.ndarray) for part in parts)
        assert_same(to_cpu(converted), expected)

# On a GPU
#

def batch_of(n, seed=0):
    random = numpy.random.RandomState(seed)
    return [(random.rand(2, 3).astype('f'), numpy.int32(i)) for i in range(n)]


@pytest.mark.gpu
@pytest.mark.parametrize('streams', [
    dict, lambda: {'compute_stream': cuda.Stream(non_blocking=True)},
    lambda: {'stream': cuda.Stream(), 'compute_stream': cuda.Stream.null}])
def test_async_transfer_to_a_gpu(streams):
    converter = dataset.ConcatWithAsyncTransfer(**streams())
    kept = []
    for seed, n in enumerate([3, 3, 2, 5, 3, 0, 4]):
        batch = batch_of(n, seed) or [(numpy.zeros((0, 2)), 1)]
        kept.append((converter(batch, 0), concat(batch)))
    for sent, expected in kept:
        for a, b in zip(sent, expected, strict=True):
            assert isinstance(a, cuda.ndarray)
            assert_same(a.get(), b)
    found = dataset.ConcatWithAsyncTransfer()([{'a': 1.5}, {'a': 2.5}], '@cupy:1')
    assert found['a'].device.id == 1
    assert_same(cuda.to_cpu(found['a']), numpy.array([1.5, 2.5]))


@pytest.mark.gpu
def test_async_transfer_pads():
    batch = [(numpy.ones(2), 1), (numpy.ones(3), 2)]
    a, _ = dataset.ConcatWithAsyncTransfer()(batch, 0, padding=(0, None))
    assert_same(a.get(), numpy.array([[1., 1, 0], [1, 1, 1]]))


@pytest.fixture
def order(monkeypatch):
    """What streams and events are asked for, in order."""
    found = []

    def note(cls, name, describe):
        original = getattr(cls, name)

        def call(self, *args):
            found.append(describe(self, *args))
            return original(self, *args)
        monkeypatch.setattr(cls, name, call)

    note(cuda.Event, 'record', lambda event, stream=None: (
        'record', event, stream or cuda.cupy.cuda.get_current_stream()))
    note(cuda.Stream, 'wait_event', lambda stream, event: ('wait', event, stream))
    note(cuda.ndarray, 'set', lambda array, host, stream=None: ('copy', None, stream))
    return found


@pytest.mark.gpu
def test_streams_wait_for_each_other_and_not_longer_than_needed(order):
    copying, computing = cuda.Stream(), cuda.Stream()
    converter = dataset.ConcatWithAsyncTransfer(copying, computing)
    events = []
    for _ in range(4):
        order.clear()
        converter([(numpy.ones(3),)] * 2, 0)
        # At first, memory is made, which may be in use by earlier work.
        wait, copy, copied, computation_waits, taken = order[-5:]
        assert [each[0] for each in order[-5:]] == [
            'wait', 'copy', 'record', 'wait', 'record']
        assert [each[2] for each in order[-5:]] == [
            copying, copying, copying, computing, computing]
        assert computation_waits[1] is copied[1]
        events.append((wait[1], taken[1]))
    # A copy waits for what was taken from its memory two calls before, and so overlaps
    # with the computation of the last one.
    assert events[2][0] is events[0][1]
    assert events[3][0] is events[1][1]
    assert events[3][0] is not events[2][1]


@pytest.mark.gpu
def test_async_transfer_does_not_wait():
    from tests.doubles.host_cupy import array, ledger
    if cuda.ndarray is not array.ndarray:
        pytest.skip('counts are those of the stand-in')
    converter = dataset.ConcatWithAsyncTransfer()
    with ledger.record() as counts:
        for _ in range(4):
            converter(batch_of(2), 0)
    assert not counts.synchronisations


@pytest.mark.parametrize('padding', [None, 0])
@pytest.mark.parametrize('concat', [concat, dataset.ConcatWithAsyncTransfer()])
def test_lists_of_arrays_become_rows_of_objects(concat, padding):
    # As NumPy 1 made them of lists whose arrays differ.
    x, y = numpy.ones(2, 'f'), numpy.zeros(3, 'f')
    rows = concat([[x, 1], [y, 2]], padding=padding)
    assert (rows.dtype, rows.shape) == (object, (2, 2))
    assert rows[0, 0] is x and rows[1, 0] is y and list(rows[:, 1]) == [1, 2]
    pairs, labels = concat([((x, y), 3), ((y, x), 4)], padding=padding)
    assert (pairs.dtype, pairs.shape) == (object, (2, 2))
    assert pairs[1, 1] is x
    compare.assert_array_equal(labels, [3, 4])


def test_lists_of_variables_become_objects():
    assert concat([[Variable(numpy.ones(2, 'f'))]] * 3).shape == (3, 1, 2)
