"""Images read by two worker processes, as input of a training.

The images are float32 of shape (3, 64, 64), with labels. Those of ``Stored`` are in
memory, so that they only have to be passed on; those of ``Computed`` take half a
millisecond each, like decoding and augmentation.
"""
import numpy as np

N_IMAGES = 1000
SHAPE = 3, 64, 64
N_PROCESSES = 2
# Rounds of arithmetic on an image that take about half a millisecond.
N_ROUNDS = 125


class Stored:
    """Images in memory. Processes that are not forked get copies of them."""

    def __init__(self, n_images=N_IMAGES):
        random = np.random.RandomState(0)
        self._images = random.random_sample((n_images, *SHAPE)).astype(np.float32)

    def __len__(self):
        return len(self._images)

    def __getitem__(self, i):
        return self._images[i], i % 10


class Computed(Stored):
    """Images computed from those in memory: darkened step by step, and flipped."""

    def __getitem__(self, i):
        image, label = super().__getitem__(i)
        for _ in range(N_ROUNDS):
            image = image * np.float32(.99) + np.float32(.001)
        return image[:, :, ::-1], label


def make_iterator(chainer, dataset, batch_size=32):
    """Return an iterator with two processes; ``next()`` returns a list of pairs.

    Parameters
    ----------
    chainer : module
        Chainer or chainer_fast.
    dataset : Stored
        The images.
    batch_size : int
        Number of images in a batch.

    Returns
    -------
    MultiprocessIterator
        The iterator; close it by ``finalize()``. The processes start with the first
        batch.
    """
    return chainer.iterators.MultiprocessIterator(
        dataset, batch_size, shuffle=False, n_processes=N_PROCESSES)
