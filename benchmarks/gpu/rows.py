"""The steps that are measured, with their sizes."""
import typing as tp


class Row(tp.NamedTuple):
    """A step, in several sizes.

    Attributes
    ----------
    title : str
    sizes : dict of str to dict
        Arguments of the step by the name of the size.
    tiny : dict
        Arguments with which the step runs in no time, for a check of this program.
    bar : float
        How many times the time of chainer_fast PyTorch has to take at least.
    modes : tuple of str
        Types of numbers in which it is measured.
    comparable : bool
        Whether both sides compute the same numbers.
    """

    title: str
    sizes: dict
    tiny: dict
    bar: float = 1
    modes: tuple = ('float32', 'tf32', 'float16')
    comparable: bool = True


_SMALL = {'8x8': {'chain': 250}}
_RESNET = (
    {'batch %d' % n: {'batch': n, 'image': 224, 'width': 64, 'blocks': (3, 4, 6, 3),
                      'classes': 1000} for n in (32, 256)},
    {'batch': 2, 'image': 32, 'width': 4, 'blocks': (1, 1, 1, 1), 'classes': 5})

ROWS = {
    'resnet50': Row('ResNet-50, training step', *_RESNET),
    'resnet50_last': Row('ResNet-50, channels last', *_RESNET),
    'dcgan': Row(
        'DCGAN, step of both networks',
        {'batch %d' % n: {'batch': n, 'channels': 512} for n in (50, 256)},
        {'batch': 3, 'channels': 16}),
    'lstm': Row(
        'NStepLSTM 2x1024, 50 steps',
        {'batch %d' % n: {'batch': n, 'units': 1024, 'steps': 50} for n in (32, 128)},
        {'batch': 2, 'units': 4, 'steps': 3}),
    'perceptron': Row(
        'perceptron 784-1000-1000-10',
        {'batch %d' % n: {'batch': n, 'sizes': (784, 1000, 1000, 10)}
         for n in (100, 1000)},
        {'batch': 3, 'sizes': (7, 5, 5, 4)}),
    'transformer': Row(
        'transformer block, d=512, 8 heads',
        {'batch %d' % n: {'batch': n, 'length': 128, 'd': 512, 'heads': 8}
         for n in (8, 32)},
        {'batch': 2, 'length': 3, 'd': 8, 'heads': 2}),
    'small': Row(
        '750 small functions', _SMALL, {'chain': 2}, modes=('float32',)),
    'small_static': Row(
        '750 small functions, static_graph', _SMALL, {'chain': 2}, bar=3,
        modes=('float32',)),
    'embedding': Row(
        'embedding with negative sampling',
        {'batch %d' % n: {'batch': n, 'words': 100000, 'd': 256, 'samples': 5}
         for n in (256, 4096)},
        {'batch': 3, 'words': 11, 'd': 4, 'samples': 2}, comparable=False),
}
