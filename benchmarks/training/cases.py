"""Training as a whole, and what feeds it."""
import numpy as np
from training import epoch, images

# In a step. The first one has been read while another side was timed.
BATCHES = 40

TITLES = {
    'T.epoch': 'MNIST perceptron: epoch, evaluation',
    'T.images': '40 batches of 32 images, 3x64x64, by 2 processes',
    'T.images_100': '40 batches of 100 images by 2 processes',
    'T.computed': '40 batches of 32 computed images by 2 processes',
}
# Least ratios of the others' times.
BARS = {
    'T.epoch': {'chainer': 4, 'torch': 1},
    'T.images': {'chainer': 1},
    'T.images_100': {'chainer': 1},
    'T.computed': {'chainer': 1},
}


def chainer_step(chainer, key):
    """Return a step by Chainer's interface: an epoch, or batches of images."""
    if key == 'T.epoch':
        return epoch.chainer_step(chainer)
    dataset = images.Computed() if key == 'T.computed' else images.Stored()
    iterator = images.make_iterator(chainer, dataset, 100 if '100' in key else 32)

    def step():
        for _ in range(BATCHES):
            batch = iterator.next()
        return batch

    step.check = lambda: [np.stack([image for image, _ in step()])[:, :, ::16, ::16]]
    return step


def torch_step(torch, key):
    """Return PyTorch's step, None if there is none."""
    return epoch.torch_step(torch) if key == 'T.epoch' else None
