"""Weights and inputs, the same for both sides."""
import numpy as np


class Numbers:
    """A source of arrays: sides that ask for the same get the same."""

    def __init__(self):
        self._random = np.random.RandomState(0)

    def weight(self, *shape):
        """Return a weight whose outputs are about as large as its inputs."""
        fan_in = max(1, int(np.prod(shape[1:])))
        return (self._random.standard_normal(shape) / fan_in ** .5).astype('f')

    def input(self, *shape):
        """Return an input, from -0.5 to 0.5."""
        return (self._random.random_sample(shape) - .5).astype('f')

    def labels(self, n, classes):
        """Return labels."""
        return self._random.randint(classes, size=n).astype('i')


def resnet_blocks(width, blocks):
    """Return ``(inputs, middle, outputs, stride)`` of each bottleneck block."""
    found, channels = [], width
    for stage, count in enumerate(blocks):
        middle = width * 2 ** stage
        for i in range(count):
            found.append(
                (channels, middle, 4 * middle, 2 if stage and i == 0 else 1))
            channels = 4 * middle
    return found


def dcgan_generator(channels):
    """Return ``(inputs, outputs, kernel, stride)`` of each deconvolution."""
    return [(channels, channels // 2, 4, 2), (channels // 2, channels // 4, 4, 2),
            (channels // 4, channels // 8, 4, 2), (channels // 8, 3, 3, 1)]


def dcgan_discriminator(channels):
    """Return ``(inputs, outputs, kernel, stride)`` of each convolution."""
    found = [(3, channels // 8, 3, 1)]
    for part in 8, 4, 2:
        a, b = channels // part, 2 * channels // part
        found += [(a, b, 4, 2), (b, b, 3, 1)]
    return found
