"""Static and plain chains on a GPU."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast._help.command.profile.static import report
from tests._help.command.profile.static.chains import losses, make_net, measured

pytestmark = pytest.mark.gpu


def make_on_device(decorate):
    net = make_net(decorate)
    net.to_device('@cupy:0')
    return net


@pytest.mark.parametrize('decorate', [chainer.static_graph, lambda method: method])
def test_updates(decorate):
    def inputs(i):
        return chainer.get_device('@cupy:0').send(np.full((3, 4), i / 20))

    expected = losses(make_on_device(lambda method: method), 30, inputs)
    with measured() as found:
        assert losses(make_on_device(decorate), 30, inputs) == pytest.approx(expected)
    method, = found.methods
    assert found.is_on_device
    assert method.counts['plain'] == 14 and method.n_static == 15
    assert method.counts['planned'] > 10
    assert 'On the GPU' in report.text(found)
