"""Tests here need oneDNN, which has wheels for Linux on x86 processors alone."""
import pytest

import chainer_fast
from chainer_fast.backends._onednn import library


@pytest.fixture
def onednn():
    """The configuration under which oneDNN is used."""
    if not library.available():
        pytest.skip(library.reason())
    with chainer_fast.using_config('use_ideep', 'always'):
        yield
