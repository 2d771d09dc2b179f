import hashlib
import os
from urllib import error

import numpy
import pytest

from chainer_fast import datasets
from chainer_fast.datasets import ptb

TEXT = {'train': ' a b c \n b c d \n', 'valid': ' b d \n', 'test': ' d a \n a \n'}


@pytest.fixture
def small_ptb(served, monkeypatch):
    for part, text in TEXT.items():
        content = text.encode()
        served[ptb._URL % ('tomsercu', part)] = content
        monkeypatch.setitem(ptb._SHA256, part, hashlib.sha256(content).hexdigest())
    return served


def test_words(small_ptb, root):
    parts = datasets.get_ptb_words()
    assert all(part.dtype == 'i4' for part in parts)
    expected = [0, 1, 2, 3, 1, 2, 4, 3], [1, 4, 3], [4, 0, 3, 0, 3]
    for found, right in zip(parts, expected, strict=True):
        numpy.testing.assert_array_equal(found, right)
    assert not small_ptb  # each file was read, and once
    folder = root / 'pfnet/chainer/ptb'
    assert sorted(os.listdir(folder)) == [
        'test.npz', 'train.npz', 'valid.npz', 'vocab.txt']
    assert (folder / 'vocab.txt').read_bytes() == b'a\nb\nc\n<eos>\nd\n'
    for found, right in zip(datasets.get_ptb_words(), expected, strict=True):
        numpy.testing.assert_array_equal(found, right)


def test_vocabulary(small_ptb):
    expected = {'a': 0, 'b': 1, 'c': 2, '<eos>': 3, 'd': 4}
    assert datasets.get_ptb_words_vocabulary() == expected
    assert len(small_ptb) == 2  # the training text only
    assert datasets.get_ptb_words_vocabulary() == expected


@pytest.mark.parametrize('get', [
    datasets.get_ptb_words, datasets.get_ptb_words_vocabulary])
def test_offline(served, root, get):
    with pytest.raises(error.URLError, match='wojzaremba.*unreachable'):
        get()
    assert os.listdir(root / 'pfnet/chainer/ptb') == []
