"""Small data sets of images, in the formats of Chainer's cache."""
import numpy


def patterns(count, classes, shape, seed=0):
    """Return noisy images of some classes, and their classes.

    Parameters
    ----------
    count : int
        Number of images.
    classes : int
        Number of classes; each has its own pattern, so that they can be learnt.
    shape : tuple of int
        Shape of an image.
    seed : int
        Seed of the noise; the patterns do not depend on it.

    Returns
    -------
    x, y : numpy.ndarray
        uint8 images, and uint8 classes.
    """
    means = numpy.random.RandomState(0).randint(0, 200, (classes, *shape))
    noise = numpy.random.RandomState(seed)
    y = noise.permutation(numpy.arange(count) % classes)
    x = means[y] + noise.randint(0, 56, (count, *shape))
    return x.astype(numpy.uint8), y.astype(numpy.uint8)


def put_mnist(cache, train=300, test=100):
    """Write the files of ``get_mnist`` with these numbers of images."""
    folder = cache / 'pfnet' / 'chainer' / 'mnist'
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (name, count) in enumerate([('train', train), ('test', test)]):
        x, y = patterns(count, 10, (784,), seed)
        numpy.savez_compressed(folder / (name + '.npz'), x=x, y=y)


def put_cifar(cache, train=20, test=10):
    """Write the files of ``get_cifar10`` and ``get_cifar100``."""
    folder = cache / 'pfnet' / 'chainer' / 'cifar'
    folder.mkdir(parents=True, exist_ok=True)
    for classes in 10, 100:
        train_x, train_y = patterns(train, classes, (3072,), 0)
        test_x, test_y = patterns(test, classes, (3072,), 1)
        numpy.savez_compressed(
            folder / ('cifar-%d.npz' % classes), train_x=train_x, train_y=train_y,
            test_x=test_x, test_y=test_y)


def put_pictures(folder, names, size, seed=0):
    """Write colour pictures in the formats given by the suffixes.

    Parameters
    ----------
    folder : pathlib.Path
        Created if it does not exist.
    names : iterable of str
        Names of the files.
    size : tuple of int
        Height and width.
    """
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    names = list(names)
    pictures, _ = patterns(len(names), 2, (*size, 3), seed)
    for name, picture in zip(names, pictures, strict=True):
        Image.fromarray(picture).save(folder / name)
