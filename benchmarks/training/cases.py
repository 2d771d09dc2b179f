"""Training as a whole, and what feeds it."""
from training import epoch

TITLES = {
    'T.epoch': 'MNIST perceptron: epoch, evaluation',
}
# What the others' times have to be, at least.
BARS = {'T.epoch': {'chainer': 4, 'torch': 1}}


def chainer_step(chainer, key):
    """Return a step by Chainer's interface."""
    return epoch.chainer_step(chainer)


def torch_step(torch, key):
    """Return PyTorch's step, None if there is none."""
    return epoch.torch_step(torch)
