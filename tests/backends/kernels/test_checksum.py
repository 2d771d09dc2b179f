"""Sums of bytes against those of zlib."""
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.backends.kernels._compiled import checksum

values = st.one_of(st.just(0), st.integers(0, 2 ** 32 - 1))


@given(size=st.one_of(st.integers(0, 600), st.integers(0, 9000)),
       start=st.integers(0, 70), seed=st.integers(0, 999), value=values)
def test_same_as_zlib(size, start, seed, value):
    data = np.random.RandomState(seed).bytes(start + size)
    for view in memoryview(data)[start:], bytearray(data[start:]):
        assert checksum.crc32(view, value) == zlib.crc32(view, value)
    assert checksum.crc32(data) == zlib.crc32(data)


@given(where=st.integers(0, 8 * 1000 - 1), value=values)
def test_each_bit_counts(where, value):
    data = np.zeros(1000, 'u1')
    before = checksum.crc32(data, value)
    data[where // 8] ^= 1 << where % 8
    assert checksum.crc32(data, value) == zlib.crc32(data, value) != before


@given(cuts=st.lists(st.integers(0, 4000), max_size=4))
def test_parts_add_up(cuts):
    data = np.random.RandomState(0).bytes(4000)
    ends = [0, *sorted(cuts), len(data)]
    value = 0
    for start, end in zip(ends, ends[1:], strict=False):
        value = checksum.crc32(data[start:end], value)
    assert value == zlib.crc32(data)


def test_the_bytes_lie_side_by_side():
    with pytest.raises(ValueError, match='contiguous'):
        checksum.crc32(np.zeros(2000, 'u1')[::2])
