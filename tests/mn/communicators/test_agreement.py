import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast.mn.communicators import _agreement


def test_header_size():
    assert _agreement._LAYOUT.size == 64


@pytest.mark.parametrize('ranks, text', [
    ([3], 'rank 3'), ([0, 1], 'ranks 0-1'), ([0, 2, 3, 4, 7], 'ranks 0, 2-4, 7')])
def test_ranks_in_words(ranks, text):
    assert _agreement.ranks_in_words(ranks) == text


def test_by_rank():
    assert _agreement.by_rank(['a', 'b', 'a']) == 'ranks 0, 2 have a, rank 1 has b'


class Process:
    """One of several processes, whose headers are known."""

    def __init__(self, *headers):
        self.headers = headers
        self.size = len(headers) + 1

    def Allgather(self, mine, everyone):
        everyone[:] = b''.join((mine,) + self.headers)


def header(operation='bcast', flags=0, dtype=b'f', shape=(), root=0, extra=0):
    return _agreement._LAYOUT.pack(
        _agreement.OPERATIONS.index(operation), flags, dtype, len(shape), root, extra,
        *(shape + (0,) * 6)[:6])


def test_meet():
    x = np.zeros((2, 3), 'f')
    headers, shapes = _agreement.meet(
        Process(header(shape=(5,), dtype=b'd', extra=-4)), 'bcast', 0, x, True, 3)
    assert shapes == [(2, 3), (5,)]
    assert [h.dtype for h in headers] == [b'f', b'd']
    assert [h.extra for h in headers] == [3, -4]
    assert [h.on_device for h in headers] == [True, False]


def test_all_alike():
    x = np.zeros((2, 3), 'f')
    headers, shapes = _agreement.meet(
        Process(*[header(shape=(2, 3), flags=2)] * 3), 'bcast', 0, x, True)
    assert shapes == [(2, 3)] * 4
    assert [h.on_device for h in headers] == [True] * 4


def test_all_failed_alike():
    """The own error comes before those of others."""
    with pytest.raises(KeyError):
        _agreement.meet(
            Process(header(dtype=b'-', flags=1)), 'bcast', 0, error=KeyError('mine'))


@pytest.mark.parametrize('root', [2, -1])
def test_root_that_is_no_rank(root):
    with pytest.raises(
            ValueError, match='bcast got root=%d, but ranks are 0 to 1' % root):
        _agreement.meet(Process(header(root=0)), 'bcast', root)


def test_another_failed():
    with pytest.raises(RuntimeError, match='failed on ranks 1-2'):
        _agreement.meet(Process(header(flags=1), header(flags=1)), 'bcast', 0)


def test_others_call_something_else():
    with pytest.raises(RuntimeError, match=(
            r'rank 0 has bcast\(root=0\), ranks 1-2 have gather\(root=2\), '
            'rank 3 has allreduce')):
        _agreement.meet(
            Process(*[header('gather', root=2)] * 2, header('allreduce', root=-1)),
            'bcast', 0)


def test_models_are_hashed_once():
    link = chainer.Link()
    link.add_param('w', (2, 3), 'f')
    alone = Process()
    _agreement._digest.cache_clear()
    for _ in range(3):
        assert _agreement.check_model(alone, 'bcast_data', link) == [('/w', link.w)]
    assert _agreement._digest.cache_info().misses == 1
    digests = {_agreement._digest((('/w', *kind),)) for kind in (
        (np.dtype('f'), (2, 3)), (np.dtype('d'), (2, 3)), (np.dtype('f'), (3, 2)),
        ('no gradient', None), ('no data yet', None))}
    assert len(digests) == 5
