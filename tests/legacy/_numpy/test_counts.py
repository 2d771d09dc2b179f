"""Sizes that are floats."""
import numpy as np
import pytest

from chainer_fast._help.past import removed
from chainer_fast.legacy._numpy import counts

CALLS = {
    'linspace': 'np.linspace(0, 1, SIZE)', 'logspace': 'np.logspace(0, 1, num=SIZE)',
    'geomspace': 'np.geomspace(1, 2, SIZE)', 'zeros': 'np.zeros(SIZE)',
    'ones': 'np.ones((2, SIZE), "f")', 'empty': 'np.empty(shape=[SIZE, 2]) * 0',
    'full': 'np.full(SIZE, 2)', 'eye': 'np.eye(3, SIZE, 1)', 'tri': 'np.tri(SIZE)',
    'identity': 'np.identity(SIZE)', 'vander': 'np.vander([1, 2], SIZE)',
    'indices': 'np.indices((SIZE, 2))',
    'reshape': 'np.reshape(np.arange(8), (2, SIZE))',
    'resize': 'np.resize(np.arange(2), SIZE)', 'tile': 'np.tile([1, 2], SIZE)',
    'broadcast_to': 'np.broadcast_to(np.arange(2), (SIZE, 2))',
}


def test_all_are_called():
    assert CALLS.keys() == counts.COUNTS.keys()


@pytest.mark.parametrize('size', ['9 / 2.', 'np.float64(4)', 'np.float32(4.5)'])
@pytest.mark.parametrize('name', CALLS)
def test_floats_are_sizes(name, size, enable, load, used):
    enable('numpy')
    module = load('import numpy as np\nold = %s\nnew = %s\n' % (
        CALLS[name].replace('SIZE', size), CALLS[name].replace('SIZE', '4')))
    np.testing.assert_array_equal(module.old, module.new)
    what = 'numpy.%s of a size that is a float' % name
    assert used() == {what: 1}
    assert what in removed.entries()


@pytest.mark.parametrize('call', ['np.zeros("4")', 'np.linspace(0, 1, "4")'])
def test_other_mistakes_stay(call, enable, load):
    enable('numpy')
    with pytest.raises(TypeError):
        load('import numpy as np\n' + call)
