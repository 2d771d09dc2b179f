"""Levels of vector instructions: which are used, and that all give the same bits."""
import platform
import sys

import pytest

from chainer_fast._cpu import shared
from tests.compat import processes

LEVELS = shared.LEVELS
EXPECTED = {'x86_64': 'base, avx2 or avx512', 'aarch64': 'base or neon'}
pytestmark = pytest.mark.skipif(
    sys.platform != 'linux' or platform.machine() not in EXPECTED,
    reason='there is one level elsewhere')

# Most products are left out: a sum of fused products is another one, and so is its
# length.
PROGRAM = '''
import hashlib
import numpy as np
import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast._cpu import shared
from chainer_fast.backends.kernels.common import ufuncs

print(shared.level())
random = np.random.RandomState(0)
BITS = np.arange(0, 2 ** 32, 49999, dtype=np.uint64).astype(np.uint32)
FLOATS = BITS.view(np.float32)


def show(name, *arrays):
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array).tobytes())
    print(name, whole.hexdigest())


def show_function(function, *shapes, dtype, last=False):
    arrays = [random.standard_normal(shape).astype(dtype) for shape in shapes]
    if last:
        arrays = [np.moveaxis(array, 1, -1).copy() for array in arrays]
        arrays = [np.moveaxis(array, -1, 1) for array in arrays]
    inputs = [chainer.Variable(array) for array in arrays]
    outputs = function(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    for y in outputs:
        y.grad = random.standard_normal(y.shape).astype(dtype)
    chainer.backward(outputs)
    show(dtype, *[y.array for y in outputs], *[x.grad for x in inputs])


with np.errstate(all='ignore'):
    show('of all', ufuncs.exp(FLOATS), ufuncs.tanh(FLOATS), ufuncs.sigmoid(FLOATS))
    negative = FLOATS[np.signbit(FLOATS)]
    show('of negative', ufuncs.expm1_of_negative(negative),
         ufuncs.log1p_exp_of_negative(negative))
    finite = FLOATS[np.isfinite(FLOATS)]
    show('halves', chainer.as_variable(finite.astype('e')).array * np.float16(2),
         F.cast(finite, 'e').array)
for dtype in ('f', 'd'):
    for function in (
            F.relu, F.sigmoid, F.tanh, F.softplus, F.elu, F.softmax, F.log_softmax,
            F.sum, F.logsumexp, F.normalize, lambda x: F.softmax(x, axis=0)):
        show_function(function, (37, 53), dtype=dtype)
    show_function(F.lstm, (7, 33), (7, 132), dtype=dtype)
    show_function(F.batch_normalization, (9, 5, 7, 3), (5,), (5,), dtype=dtype)
    show_function(F.layer_normalization, (9, 51), (51,), (51,), dtype=dtype)
    show_function(lambda *a: F.group_normalization(a[0], 3, *a[1:]), (9, 6, 7, 5), (6,),
                  (6,), dtype=dtype)
    show_function(F.batch_normalization, (70, 89), (89,), (89,), dtype=dtype)
    for reduction in F.prod, F.max, F.min:
        show_function(reduction, (7, 333), dtype=dtype)
    show_function(lambda x: F.sum(x, axis=1), (7, 333), dtype=dtype)
    for last in False, True:
        for function in (
                lambda x: F.max_pooling_2d(x, 3, 2),
                lambda x: F.max_pooling_2d(x, (3, 19), 1),
                lambda x: F.max_pooling_2d(x, (3, 41)),
                lambda x: F.average_pooling_2d(x, 2),
                lambda x: F.average_pooling_2d(x, (3, 19), 1),
                F.local_response_normalization):
            show_function(function, (2, 81, 9, 43), dtype=dtype, last=last)
    for shapes in ((2, 1, 50), (2, 50, 89)), ((2, 89, 50), (2, 50, 1)):
        show_function(F.matmul, *shapes, dtype='f')
for rule in (chainer.optimizers.Adam, chainer.optimizers.MomentumSGD):
    link = L.Scale(0, (301,))
    optimizer = rule().setup(link)
    for _ in range(3):
        link.W.grad = random.standard_normal(301).astype('f')
        optimizer.update()
    show(rule.__name__, link.W.array)
'''


@pytest.fixture(scope='module')
def results():
    """What the program prints at each level, by lines."""
    return {
        level: processes.run(
            '-c', PROGRAM, env={'CHAINER_FAST_CPU': level}).splitlines()
        for level in LEVELS}


def test_bits_are_those_of_every_level(results):
    first = results['base'][1:]
    assert len(first) > 30
    for level in LEVELS:
        assert results[level][1:] == first


def test_level_is_the_one_that_is_set_or_less(results):
    most = LEVELS.index(results[LEVELS[-1]][0])
    for index, level in enumerate(LEVELS):
        assert results[level][0] == LEVELS[min(index, most)]


@pytest.mark.parametrize('name', ['avx', 'AVX2', 'avx25', 'NEON'])
def test_unknown_level_is_an_error(name):
    process = processes.start(
        '-c', 'import chainer_fast', env={'CHAINER_FAST_CPU': name})
    assert process.returncode == 1
    assert ("ValueError: the environment variable CHAINER_FAST_CPU is '%s': "
            'expected %s;' % (name, EXPECTED[platform.machine()])) in process.stderr
