"""Two variables."""
import pytest

from chainer_fast import Variable
from tests.nnabla.variables import W, X


@pytest.fixture
def xw(device):
    return Variable(device.send(X.copy())), Variable(device.send(W.copy()))
