"""Files, data sets in files, and parts of a training, for the cases that need them."""

import io
import os
import pickle
import zipfile

import numpy as np

from compat.differential import things


def _picture(number):
    from PIL import Image

    file = io.BytesIO()
    values = np.random.RandomState(number).randint(0, 256, (4, 5, 3)).astype('u1')
    Image.fromarray(values).save(file, 'PNG')
    return file.getvalue()


def _folder():
    """Return a folder of this process, which holds nine pictures and a text."""
    import atexit
    import shutil
    import tempfile

    if not hasattr(_folder, 'found'):
        _folder.found = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, _folder.found, True)
        for number in range(9):
            with open(_path('%d.png' % number), 'wb') as f:
                f.write(_picture(number))
        with open(_path('text.txt'), 'w') as f:
            f.writelines('line %d\n' % i for i in range(9))
        with zipfile.ZipFile(_path('pictures.zip'), 'w') as f:
            for number in range(9):
                f.writestr('%d.png' % number, _picture(number))
        with open(_path('data.pkl'), 'wb') as f:
            for number in range(9):
                pickle.dump(number * 2, f)
    return _folder.found


def _path(name):
    return os.path.join(_folder.found, name)


def path(name):
    _folder()
    return _path(name)


def pictures(chainer):
    return [path('%d.png' % i) for i in range(9)]


def labeled_pictures(chainer):
    return [(name, i) for i, name in enumerate(pictures(chainer))]


def text(chainer):
    return path('text.txt')


def zipped(chainer):
    return path('pictures.zip')


def zipped_labels(chainer):
    name = path('labels.txt')
    with open(name, 'w') as f:
        f.writelines('%d.png %d\n' % (i, i) for i in range(9))
    return name


def pickle_path(chainer):
    return path('data.pkl')


def pickles(chainer):
    return open(path('data.pkl'), 'rb')


def file(chainer):
    return path('none.npz')


def buffer(chainer):
    return io.BytesIO()


def text_buffer(chainer):
    return io.StringIO()


def writer(chainer):
    return lambda path: 'written'


def reader(chainer):
    return lambda path: 'read'


def first_of(chainer):
    return lambda batch, device: batch[0]


def less(chainer):
    return lambda best, new: new < best


def iteration_of(chainer):
    return lambda trainer: trainer.updater.iteration


def false(chainer):
    return lambda: False


def nothing(chainer):
    return lambda *args: None


def mean(chainer):
    return lambda array: array.mean()


def _updater(chainer):
    return things.training(chainer).updater


def updater(chainer):
    return _updater(chainer)


def iterator(chainer):
    return _updater(chainer).get_iterator('main')


def once(chainer):
    """Return an iterator that ends."""
    return chainer.iterators.SerialIterator(
        list(iterator(chainer).dataset), 4, repeat=False, shuffle=False
    )


def optimizer(chainer):
    return _updater(chainer).get_optimizer('main')


def classifier(chainer):
    return chainer.links.Classifier(things.chain(chainer))
