"""Who computes products in single precision: by the environment, or by measurement."""
import math
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
from chainer_fast._cpu import shared
from chainer_fast.backends.kernels import matmul
from chainer_fast.backends.kernels.common import blas, product_choice
from chainer_fast.graph_optimizations._processor import plans
from chainer_fast.graph_optimizations._processor.builders import Affine

EXAMPLES = [(8, 40, 8, False, False), (40, 8, 8, True, False), (8, 8, 40, False, True)]
GAINS = [1.25, .5, 2.]
BUILD = 'a build', 16

has_tiles = pytest.mark.skipif(
    not plans.has_tiles, reason='no code of our own for this processor')


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder for the file, without one; what has been measured is forgotten."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    monkeypatch.delenv(product_choice.VARIABLE, raising=False)
    blas.forget()
    yield tmp_path / 'chainer_fast'
    monkeypatch.undo()
    blas.forget()


@pytest.fixture
def measured(folder, monkeypatch):
    """The number of measurements, each of which finds the same."""
    calls = []

    def measure(examples, tiled):
        calls.append(examples)
        return GAINS[:len(examples)] + [1.] * (len(examples) - len(GAINS))
    monkeypatch.setattr(product_choice, 'measure', measure)
    return calls


def multiply(a, b, out):
    out[...] = a @ b


def choose(build=BUILD):
    return product_choice.choose(EXAMPLES, multiply, build)


def file_in(folder):
    file, = folder.iterdir()
    return file


def test_measured_once_a_machine(measured, folder):
    assert choose() == choose() == GAINS
    assert len(measured) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    choose(('another build', 16))
    assert len(measured) == 2 and len(list(folder.iterdir())) == 2


@pytest.mark.parametrize('damage', [
    '', '1.25 0.50', '1.25 0.50 2.00', '1.25 0.50 nan\n', '1.25 0.50 0.00\n',
    '1.25 0.50 inf\n', '1.25 0.50 2.00 1.00\n', 'no number\n', '\xff\n', 'x' * 10 ** 5])
def test_a_damaged_file_is_written_anew(measured, folder, damage):
    choose()
    file = file_in(folder)
    text = file.read_bytes()
    file.write_bytes(damage.encode('latin-1'))
    assert choose() == GAINS and len(measured) == 2
    assert file_in(folder).read_bytes() == text
    assert choose() == GAINS and len(measured) == 2


def test_a_folder_in_place_of_the_file(measured, folder):
    choose()
    file = file_in(folder)
    file.unlink()
    file.mkdir()
    assert choose() == GAINS
    assert list(folder.iterdir()) == [file]


def test_no_place_for_a_file(measured, folder, monkeypatch):
    folder.write_text('a file, where a folder is to be')
    assert choose() == GAINS
    monkeypatch.setenv('XDG_CACHE_HOME', 'relative')
    monkeypatch.setattr(os.path, 'expanduser', lambda path: path)
    assert product_choice.folder() is None
    assert choose() == GAINS and len(measured) == 2


def test_nothing_can_be_written(measured, folder, monkeypatch):
    def fail(*args, **kwargs):
        raise PermissionError(13, 'read-only')
    monkeypatch.setattr(product_choice.tempfile, 'NamedTemporaryFile', fail)
    assert choose() == choose() == GAINS
    assert len(measured) == 2 and not list(folder.iterdir())


def test_a_file_system_without_links(measured, folder, monkeypatch):
    def fail(*args):
        raise PermissionError(1, 'no links')
    monkeypatch.setattr(product_choice.os, 'link', fail)
    assert choose() == GAINS
    assert not [file for file in folder.iterdir() if file.suffix]


def test_the_first_of_two_processes_is_right(folder, monkeypatch):
    def measure(examples, tiled):
        # Meanwhile another process has found something else.
        monkeypatch.setattr(product_choice, 'measure', lambda *args: [3., 4., 5.])
        assert choose() == [3, 4, 5]
        return GAINS
    monkeypatch.setattr(product_choice, 'measure', measure)
    assert choose() == choose() == [3, 4, 5]
    assert len(list(folder.iterdir())) == 1


PROGRAM = '''
import hashlib, numpy
from chainer_fast.backends.kernels import matmul
from chainer_fast.backends.kernels.common import blas
numbers = numpy.random.RandomState(0).uniform(-1, 1, 10 ** 5).astype('f')
digest = hashlib.sha256()
for m, k, n in (20, 128, 500), (20, 500, 100), (100, 200, 190), (60, 60, 60):
    a, b = numbers[:m * k].reshape(m, k), numbers[:k * n].reshape(n, k)
    digest.update(matmul.dot(a, b.T))
    digest.update(matmul.dot(a, b.reshape(k, n)))
print(blas.gains(), digest.hexdigest())
'''


def test_processes_agree(folder):
    runs = [subprocess.Popen([sys.executable, '-c', PROGRAM], stdout=subprocess.PIPE,
                             text=True) for _ in range(3)]
    results = {run.communicate()[0] for run in runs}
    assert len(results) == 1 and results != {''}
    assert not any([run.returncode for run in runs])


def test_threads_agree(folder):
    found = []
    threads = [threading.Thread(target=lambda: found.append(blas.gains()))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [blas.gains()] * 4


def test_measurement():
    gains = product_choice.measure(EXAMPLES, multiply)
    assert len(gains) == len(EXAMPLES)
    assert all([0 < gain < math.inf for gain in gains])


def test_measurement_takes_the_fastest_call(monkeypatch):
    # Of calls in turns: BLAS takes 4, 8, 4, ... and tiles 2, 1, 2, ...
    times = [4, 2, 8, 1] * (product_choice.ROUNDS // 2)
    clock = [0.]
    for taken in times:
        clock += [clock[-1] + taken] * 2
    ticks = iter(clock)
    monkeypatch.setattr(product_choice.time, 'perf_counter', lambda: next(ticks))
    assert product_choice.measure(EXAMPLES[:1], multiply) == [4]


@has_tiles
def test_every_kind_has_a_name_and_an_example(folder, monkeypatch):
    seen = []
    monkeypatch.setattr(
        product_choice, 'measure', lambda examples, _: seen.extend(examples) or [
            1 + i / 64 for i in range(len(examples))])
    gains = blas.gains()
    assert len(gains) == len(product_choice.KINDS)
    # The kind of each example is its own.
    assert [blas.gain(*example) for example in seen] == gains


@has_tiles
@pytest.mark.skipif(
    sys.platform != 'linux', reason='there are no threads for loops elsewhere')
def test_one_thread_of_tiles_is_measured(folder):
    shared.note_loops(True)
    try:
        with chainer.using_config('num_threads', 2):
            blas.gains()
            assert shared.noted_loops() == []
            product(200, 200, 200)
            assert shared.noted_loops()
    finally:
        shared.note_loops(False)


@has_tiles
def test_what_fits_no_cache_has_to_gain_more(folder, monkeypatch):
    monkeypatch.setattr(
        product_choice, 'measure', lambda examples, _: [1.5] * len(examples))
    assert blas.gain(500, 500, 500) == 1.5
    assert blas.gain(1000, 1000, 1000) == 1.2


def product(rows, depth, columns, turned=False):
    random = np.random.RandomState(rows)
    left = random.uniform(-1, 1, (rows, depth)).astype('f')
    right = random.uniform(-1, 1, (depth, columns)).astype('f')
    return matmul.dot(np.asfortranarray(left) if turned else left, right)


@has_tiles
def test_what_threads_share_is_for_tiles_if_they_are_about_as_fast(monkeypatch):
    def bits(gain, *shape):
        monkeypatch.setattr(
            product_choice, 'choose', lambda examples, *_: [gain] * len(examples))
        blas.forget()
        return product(*shape).tobytes()

    shared, huge = (100, 1000, 200), (900, 1000, 600)
    try:
        for shape in shared, huge:
            assert bits(9, *shape) != bits(.1, *shape)
        assert bits(.97, *shared) == bits(9, *shared)
        assert bits(.93, *shared) == bits(.1, *shared)
        assert bits(1.2, *huge) == bits(.1, *huge)
        assert bits(1.4, *huge) == bits(9, *huge)
    finally:
        monkeypatch.undo()
        blas.forget()


# Rows and columns at which packed panels end, and are not full; more than one block of
# terms, and fewer columns than are worth packing.
@has_tiles
@pytest.mark.parametrize('rows, depth, columns', [
    (300, 600, 200), (128, 256, 64), (131, 70, 1100), (1030, 300, 97), (400, 300, 50)])
def test_tiles_give_a_turned_operand_the_same_bits(folder, monkeypatch, rows, depth,
                                                   columns):
    monkeypatch.setenv(product_choice.VARIABLE, 'tiles')
    shape = rows, depth, columns
    np.testing.assert_array_equal(product(*shape, turned=True), product(*shape))


# Several blocks of columns and of terms, each of which a thread packs once.
@has_tiles
@pytest.mark.parametrize('turned', [False, True])
@pytest.mark.parametrize('rows, depth, columns', [
    (1300, 600, 1100), (300, 300, 70), (70, 260, 70), (600, 20, 550)])
def test_threads_share_tiles_without_other_bits(
        folder, monkeypatch, rows, depth, columns, turned):
    monkeypatch.setenv(product_choice.VARIABLE, 'tiles')
    with chainer.using_config('num_threads', 1):
        expected = product(rows, depth, columns, turned)
    for threads in 2, 3, 16:
        with chainer.using_config('num_threads', threads):
            for _ in range(4):
                np.testing.assert_array_equal(
                    product(rows, depth, columns, turned), expected)


@has_tiles
def test_threads_of_python_share_no_packed_operands(folder, monkeypatch):
    monkeypatch.setenv(product_choice.VARIABLE, 'tiles')
    shapes = [(300 + k, 300, 70 + 40 * k) for k in range(4)]
    expected = [product(*shape) for shape in shapes]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(5):
            for found, each in zip(
                    threads.map(product, *zip(*shapes, strict=True)), expected,
                    strict=True):
                np.testing.assert_array_equal(found, each)


def test_the_variable(measured, monkeypatch):
    monkeypatch.setenv(product_choice.VARIABLE, 'blas')
    assert choose() == [0, 0, 0]
    monkeypatch.setenv(product_choice.VARIABLE, 'tiles')
    assert choose() == [math.inf] * 3
    assert not measured
    monkeypatch.setenv(product_choice.VARIABLE, 'mesure')
    with pytest.raises(ValueError, match="CHAINER_FAST_PRODUCTS is 'mesure'"):
        choose()


@pytest.fixture(scope='module', params=['blas', 'tiles', 'measure'])
def ways(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(product_choice.VARIABLE, request.param)
        blas.forget()
        yield
    blas.forget()


def laid_out(matrix, how):
    """Return the matrix in one of the orders that need no copy, or with gaps."""
    if how == 'part':
        room = np.full((matrix.shape[0] + 2, matrix.shape[1] + 3), np.nan, 'f')
        room[1:-1, 1:-2] = matrix
        return room[1:-1, 1:-2]
    return np.asarray(matrix, order=how)


@settings(max_examples=60, deadline=None)
@given(m=st.integers(2, 150), n=st.integers(2, 150), k=st.integers(1, 300),
       left=st.sampled_from(['C', 'F', 'part']),
       right=st.sampled_from(['C', 'F', 'part']), seed=st.integers(0, 2 ** 31))
def test_products_whoever_computes_them(ways, m, n, k, left, right, seed):
    random = np.random.RandomState(seed)
    a, b = [random.uniform(-1, 1, shape).astype('f') for shape in ((m, k), (k, n))]
    found = matmul.dot(laid_out(a, left), laid_out(b, right))
    expected = a.astype('d') @ b.astype('d')
    assert found.dtype == 'f'
    bound = 2 * k * np.finfo('f').eps * (abs(a) @ abs(b))
    assert (abs(found - expected) <= bound).all()


@has_tiles
@pytest.mark.parametrize('n', [32, 33, 47, 48, 500, 2047, 2060])
@pytest.mark.parametrize('m', [4, 16, 17, 64])
def test_few_rows_have_the_bits_of_many(folder, monkeypatch, m, n):
    # The right operand is packed for more than 64 rows only, or for more than 16.
    monkeypatch.setenv(product_choice.VARIABLE, 'tiles')
    random = np.random.RandomState(0)
    a, b = [random.uniform(-1, 1, shape).astype('f')
            for shape in ((100, 600), (600, n))]
    np.testing.assert_array_equal(matmul.dot(a[:m], b), matmul.dot(a, b)[:m])


@has_tiles
@pytest.mark.parametrize('left', 'CF')
@pytest.mark.parametrize('right', 'CF')
@pytest.mark.parametrize('m, n, k', [(9, 33, 257), (13, 48, 300), (70, 100, 130)])
def test_bits_are_those_of_every_processor(folder, monkeypatch, m, n, k, left, right):
    monkeypatch.setenv(product_choice.VARIABLE, 'tiles')
    random = np.random.RandomState(0)
    a, b = [random.uniform(-1, 1, shape).astype('f') for shape in ((m, k), (k, n))]
    expected = np.zeros((m, n), 'f')
    for i in range(k):
        # A product and a sum that are rounded once, from the first term to the last.
        exact = np.multiply.outer(a[:, i], b[i], dtype=np.longdouble) + expected
        expected = exact.astype('f')
    np.testing.assert_array_equal(
        matmul.dot(laid_out(a, left), laid_out(b, right)), expected)


@has_tiles
@pytest.mark.parametrize('gains, uses, serves', [
    ((0, 0, 0), 1, False), ((1, 1, 1), 1, True), ((2, 2, .95), 1, True),
    ((2, 2, .7), 1, False), ((1, .8, 1), 1, False), ((1, .8, 1), 4, True),
    ((1, .5, 1), 4, False), ((1, 0, 1), 4, False)])
@pytest.mark.parametrize('scale', [1, 4])
def test_static_chains_take_what_is_faster(monkeypatch, gains, uses, serves, scale):
    rows, depth, columns = 10 * scale, 12 * scale, 14 * scale
    # Forward, and the gradients of rows and of the weight.
    known = {(rows, columns, depth, False, True): gains[0],
             (rows, depth, columns, False, False): gains[1],
             (columns, depth, rows, True, False): gains[2]}
    monkeypatch.setattr(
        'chainer_fast.backends.kernels.common.blas.gain',
        lambda rows, columns, depth, left_turned=False, right_turned=False: known[
            rows, columns, depth, left_turned, right_turned])
    # Small products take less time than a call, whoever computes them.
    expected = serves or scale == 1 and min(gains) > 0
    x, w = np.ones((rows, depth), 'f'), np.ones((columns, depth), 'f')
    assert Affine.serves(x, w, uses=[1, uses]) == expected
