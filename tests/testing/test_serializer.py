import os

import numpy
import pytest

import chainer_fast
from chainer_fast import links, testing


def test_save_and_load():
    paths = []

    def save(path, src):
        assert src == 'src'
        with open(path, 'w') as f:
            f.write('written')
        paths.append(path)

    def load(path, dst):
        assert dst == 'dst'
        with open(path) as f:
            assert f.read() == 'written'
        paths.append(path)

    testing.save_and_load('src', 'dst', 'name.ext', save, load)
    saved, loaded = paths
    assert saved == loaded
    assert os.path.basename(saved) == 'name.ext'
    assert not os.path.exists(os.path.dirname(saved))


@pytest.mark.parametrize(
    'save_and_load', [testing.save_and_load_npz, testing.save_and_load_hdf5])
def test_formats(save_and_load):
    src, dst = links.Linear(2, 3), links.Linear(2, 3)
    assert isinstance(src, chainer_fast.Link)
    save_and_load(src, dst)
    numpy.testing.assert_array_equal(src.W.array, dst.W.array)
