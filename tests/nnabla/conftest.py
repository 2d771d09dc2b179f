"""Two variables."""
import pytest


@pytest.fixture
def xw(device):
    # Not at the top: the stand-in for CuPy has to be there first.
    from chainer_fast import Variable
    from tests.nnabla.variables import W, X
    return Variable(device.send(X.copy())), Variable(device.send(W.copy()))
