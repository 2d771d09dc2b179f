"""Penn Treebank: a corpus of English newspaper text, as a sequence of words."""
from __future__ import annotations

import os
from typing import Any

import numpy

from chainer_fast.dataset import download
from chainer_fast.types import NdArray

_URL = 'https://raw.githubusercontent.com/%s/lstm/master/data/ptb.%s.txt'
# The files that torchtext also downloads, in a repository and its fork. The digests of
# the last two are those of files whose MD5 torchtext publishes; several programs on
# GitHub agree on that of the first.
_OWNERS = ('wojzaremba', 'tomsercu')
_SHA256 = {
    'train': 'fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf',
    'valid': 'c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2',
    'test': 'dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0',
}


def get_ptb_words() -> tuple[NdArray, ...]:
    """Get the Penn Treebank as preprocessed by Mikolov, with a vocabulary of 10,000.

    The files are downloaded at the first call, checked, and kept in the folder
    ``pfnet/chainer/ptb`` below :func:`chainer_fast.dataset.get_dataset_root`.

    Returns
    -------
    train, valid, test : numpy.ndarray
        Identifiers of the words (int32), one after the other; each sentence ends with
        the identifier of ``<eos>``. See :func:`get_ptb_words_vocabulary` for the words.

    Raises
    ------
    urllib.error.URLError
        If no mirror delivers the files.

    Examples
    --------
    ::

        train, valid, test = chainer.datasets.get_ptb_words()
        vocabulary = chainer.datasets.get_ptb_words_vocabulary()
        words = {i: word for word, i in vocabulary.items()}
        sentence = ' '.join(words[i] for i in train[:20])
    """
    return tuple(_identifiers(part) for part in ('train', 'valid', 'test'))


def get_ptb_words_vocabulary() -> dict[Any, Any]:
    """Get the identifiers of the words in the Penn Treebank.

    Returns
    -------
    dict
        Integers by word, including ``<eos>``, in the order of first occurrence in the
        training text.

    Raises
    ------
    urllib.error.URLError
        If the vocabulary is not cached and no mirror delivers the training text.

    Examples
    --------
    See :func:`get_ptb_words`.
    """
    def create(path):
        words = list(dict.fromkeys(_words('train')))
        with open(path, 'w', encoding='utf-8', newline='\n') as file:
            file.writelines(word + '\n' for word in words)
        return words

    def load(path):
        with open(path, encoding='utf-8') as file:
            return file.read().splitlines()

    words = download.cache_or_load_file(_path('vocab.txt'), create, load)
    return {word: i for i, word in enumerate(words)}


def _path(name):
    return os.path.join(download.get_dataset_directory('pfnet/chainer/ptb'), name)


def _words(part):
    path = download._verified_download(
        [_URL % (owner, part) for owner in _OWNERS], _SHA256[part])
    with open(path, encoding='utf-8') as file:
        for line in file:
            yield from line.split()
            yield '<eos>'


def _identifiers(part):
    def create(path):
        vocabulary = get_ptb_words_vocabulary()
        words = numpy.array([vocabulary[word] for word in _words(part)], numpy.int32)
        numpy.savez_compressed(path, x=words)
        return words

    def load(path):
        with numpy.load(path) as archive:
            return archive['x']

    return download.cache_or_load_file(_path(part + '.npz'), create, load)
