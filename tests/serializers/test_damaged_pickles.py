"""Damaged pickles: one type of error, which names the file, in little memory."""
import gzip
import io
import pickle
import random
import struct
import subprocess
import sys
import warnings

import numpy as np
import pytest

from chainer_fast import links as L
from chainer_fast import optimizers, serializers
from chainer_fast.sequential import Sequential

resource = pytest.importorskip('resource')      # limits of POSIX systems

# Where a length follows, and that many bytes.
LENGTHS = {
    'frame': (pickle.FRAME, '<Q'), 'text': (pickle.BINUNICODE, '<I'),
    'long text': (pickle.BINUNICODE8, '<Q'), 'bytes': (pickle.BINBYTES, '<I'),
    'long bytes': (pickle.BINBYTES8, '<Q'), 'bytearray': (pickle.BYTEARRAY8, '<Q'),
    'old text': (pickle.BINSTRING, '<i'), 'number': (pickle.LONG4, '<i'),
}
HUGE = {'<i': [(1 << 31) - 1], '<I': [(1 << 31) - 1, (1 << 32) - 1],
        '<Q': [1 << 32, 1 << 45, (1 << 63) - 1, (1 << 64) - 1]}


def limit_memory():
    """Let this process have 100 MiB more than it has."""
    with open('/proc/self/statm') as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20),) * 2)


def damages(content, rng):
    """Draw what can befall the bytes of a file, for ever."""
    while True:
        damaged = bytearray(content)
        at = rng.randrange(len(damaged))
        kind = rng.randrange(5)
        if kind == 0:
            del damaged[at:]
        elif kind == 1:
            for at in rng.choices(range(len(damaged)), k=rng.choice([1, 1, 2, 8])):
                damaged[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            damaged[at:at + 8] = rng.randbytes(rng.choice([1, 8, 9]))
        elif kind == 3:
            del damaged[at:at + rng.choice([1, 2, 30])]
        else:
            code, form = rng.choice(list(LENGTHS.values()))
            damaged[at:at + rng.randrange(3)] = code + struct.pack(
                form, rng.choice(HUGE[form]))
        yield bytes(damaged)


def check(content, path):
    """Load a pickle: the error has to be the one."""
    with open(path, 'wb') as file:
        file.write(content)
    try:
        serializers.load_pickle(path)
    except Exception as e:
        assert type(e) is pickle.UnpicklingError and repr(path) in str(e), repr(e)
        return False
    return True


def try_out(path, n):
    """Load damaged pickles of a model, and say how many could be loaded."""
    net = Sequential(L.Linear(3, 4), L.BatchNormalization(4))
    content = {
        'net': net, 'optimizer': optimizers.Adam().setup(net), 'array': np.arange(30.),
        'bytes': bytearray(b'x' * 70), 'random': np.random.RandomState(0)}
    contents = [pickle.dumps(content, protocol) for protocol in range(6)]
    for content in contents:
        serializers.load_pickle(io.BytesIO(content))
    limit_memory()
    warnings.simplefilter('ignore')     # of NumPy, on odd numbers
    rng = random.Random(0)
    return sum(
        check(damaged, path) for content in contents
        for _, damaged in zip(range(n), damages(content, rng), strict=False))


def run(code, *args):
    process = subprocess.run(
        [sys.executable, '-c', 'import sys\nfrom tests.serializers import '
         'test_damaged_pickles as module\n' + code, *args],
        capture_output=True, text=True, timeout=200)
    assert process.returncode == 0, process.stderr
    return process.stdout


linux = pytest.mark.skipif(
    sys.platform != 'linux', reason='memory in use is read from /proc')


@linux
def test_any_damage(tmp_path):
    loaded = run('print(module.try_out(sys.argv[1], 400))', str(tmp_path / 'model.pkl'))
    assert int(loaded) < 800


@linux
def test_announced_lengths(tmp_path):
    run('''if True:
        import struct
        module.serializers.load_pickle(module.io.BytesIO(module.pickle.dumps(0)))
        module.limit_memory()
        for code, form in module.LENGTHS.values():
            for size in module.HUGE[form]:
                content = code + struct.pack(form, size) + b'abc.'
                assert not module.check(content, sys.argv[1]), code
    ''', str(tmp_path / 'model.pkl'))


def test_error_tells_the_length(tmp_path):
    path = tmp_path / 'model.pkl'
    path.write_bytes(pickle.BINBYTES8 + struct.pack('<Q', 1 << 50) + b'abc')
    with pytest.raises(pickle.UnpicklingError, match=(
            r"model\.pkl' is damaged or truncated: it announces 1125899906842624 bytes "
            'where 3 are left')):
        serializers.load_pickle(path)


@pytest.mark.parametrize('call', [
    (bytearray, (10**12,)), (set, (range(10**12),)), (frozenset, (range(10**12),))])
def test_calls_that_make_as_much_as_they_like(call):
    class Called:
        def __reduce__(self):
            return call

    with pytest.raises(pickle.UnpicklingError, match='may allocate any amount of '
                                                     'memory'):
        serializers.load_pickle(io.BytesIO(pickle.dumps(Called(), 2)))


@pytest.mark.parametrize('protocol', range(6))
def test_large_values_are_whole(tmp_path, protocol):
    content = {'array': np.arange(1 << 19, dtype='f8'), 'bytes': b'ab' * (1 << 20),
               'bytearray': bytearray(b'abc' * (1 << 20)), 'text': 'xy' * (1 << 20),
               'number': 1 << (1 << 12), 'range': range(10**12)}
    with gzip.open(tmp_path / 'x.gz', 'wb', 1) as file:
        pickle.dump(content, file, protocol)
    with gzip.open(tmp_path / 'x.gz') as file:
        loaded = serializers.load_pickle(file)
    np.testing.assert_array_equal(loaded.pop('array'), content.pop('array'))
    assert loaded == content
    assert type(loaded['bytearray']) is bytearray
