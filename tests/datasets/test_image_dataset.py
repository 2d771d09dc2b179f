import pathlib
import pickle
import subprocess
import sys
import threading
import zipfile

import numpy
import pytest

import chainer_fast
from chainer_fast import datasets
from chainer_fast.datasets import image_dataset

Image = pytest.importorskip('PIL.Image')
forks = pytest.mark.posix('the program is forked')

ARRAYS = {
    'colour.png': numpy.arange(60).reshape(4, 5, 3).astype('u1'),
    'sub/grey.png': numpy.arange(20).reshape(4, 5).astype('u1'),
    'alpha.png': numpy.arange(80).reshape(4, 5, 4).astype('u1'),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'sub').mkdir()
    with zipfile.ZipFile(tmp_path / 'all.zip', 'w') as archive:
        archive.writestr('sub/', '')
        for name, array in ARRAYS.items():
            Image.fromarray(array).save(tmp_path / name)
            archive.write(tmp_path / name, name)
    with zipfile.ZipFile(tmp_path / 'two.zip', 'w') as archive:
        for name in 'alpha.png', 'colour.png':
            archive.write(tmp_path / name, name)
    (tmp_path / 'names.txt').write_text('\n'.join(ARRAYS) + '\n')
    (tmp_path / 'pairs.txt').write_text('sub/grey.png 7\n colour.png  -1 \n')
    return tmp_path


def check(images, names=tuple(ARRAYS), dtype='f4'):
    assert len(images) == len(names)
    for image, name in zip(images, names, strict=True):
        expected = numpy.atleast_3d(ARRAYS[name]).transpose(2, 0, 1)
        assert image.dtype == dtype
        numpy.testing.assert_array_equal(image, expected)


@pytest.mark.parametrize('kind', [str, pathlib.Path])
def test_images_of_a_list_file(folder, kind):
    check(datasets.ImageDataset(kind(folder / 'names.txt'), kind(folder))[:])


def test_images_of_a_list(folder):
    images = datasets.ImageDataset(['alpha.png'], str(folder), dtype='i4')
    check(images[:], ['alpha.png'], 'i4')
    with chainer_fast.using_config('dtype', chainer_fast.mixed16):
        images = datasets.ImageDataset(['alpha.png'], str(folder))
    check(images[:], ['alpha.png'], 'f2')


def test_images_can_be_changed(folder):
    image, = datasets.ImageDataset(['alpha.png'], str(folder), dtype='u1')[:]
    image[...] = 0


def test_labeled_images(folder):
    pairs = datasets.LabeledImageDataset(str(folder / 'pairs.txt'), str(folder))
    images, labels = zip(*pairs[:], strict=True)
    check(images, ['sub/grey.png', 'colour.png'])
    assert [label.tolist() for label in labels] == [7, -1]
    assert all(label.dtype == 'i4' and label.shape == () for label in labels)
    pairs = datasets.LabeledImageDataset(
        [('alpha.png', 3)], str(folder), 'f2', label_dtype='f8')
    image, label = pairs[0]
    check([image], ['alpha.png'], 'f2')
    assert (label, label.dtype) == (3, 'f8')


@pytest.mark.parametrize('text', ['alpha.png\n', 'alpha.png 1 2\n', '\n'])
def test_lines_that_are_no_pairs(folder, text):
    path = folder / 'bad.txt'
    path.write_text('alpha.png 1\n' + text)
    for make in (lambda: datasets.LabeledImageDataset(str(path)),
                 lambda: datasets.LabeledZippedImageDataset(
                     str(folder / 'all.zip'), str(path))):
        with pytest.raises(ValueError, match='line 1 in file .*bad.txt'):
            make()


@pytest.mark.parametrize('dtype, label', [('u1', 249), ('i8', -7), (None, -7)])
def test_label_that_the_dtype_cannot_hold(folder, dtype, label):
    (folder / 'negative.txt').write_text('colour.png -7')
    for images in (
            datasets.LabeledImageDataset([('colour.png', -7)], folder, None, dtype),
            datasets.LabeledZippedImageDataset(
                folder / 'all.zip', folder / 'negative.txt', None, dtype)):
        found = images[0][1]
        assert (found, found.dtype, found.shape) == (label, dtype or 'i8', ())


def test_zipped_images(folder):
    images = datasets.ZippedImageDataset(str(folder / 'all.zip'))
    check(images[:])
    check([images['alpha.png']], ['alpha.png'])
    check(pickle.loads(pickle.dumps(images))[:])
    with pytest.raises(KeyError, match='none.png'):
        images['none.png']


def test_several_archives(folder):
    images = datasets.MultiZippedImageDataset(
        [str(folder / 'all.zip'), str(folder / 'two.zip')], dtype='f8')
    check(images[:], [*ARRAYS, 'alpha.png', 'colour.png'], 'f8')
    for i in -1, 5:
        with pytest.raises(IndexError, match='of 5 images'):
            images[i]


def test_labeled_zipped_images(folder):
    pairs = datasets.LabeledZippedImageDataset(
        str(folder / 'all.zip'), str(folder / 'pairs.txt'), label_dtype='i8')
    images, labels = zip(*pickle.loads(pickle.dumps(pairs))[:], strict=True)
    check(images, ['sub/grey.png', 'colour.png'])
    assert [label.tolist() for label in labels] == [7, -1]
    assert all(label.dtype == 'i8' for label in labels)


def test_zipped_images_in_threads(folder):
    images = datasets.ZippedImageDataset(str(folder / 'all.zip'))
    done = []

    def read():
        for _ in range(20):
            check(images[:])
        done.append(True)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [True] * 4


@forks
def test_zipped_images_after_fork(folder):
    # In an interpreter of its own, which has no threads.
    code = '''if True:
        import multiprocessing, sys
        from chainer_fast import datasets
        images = datasets.ZippedImageDataset(sys.argv[1])
        parents = images._zf
        images._lock.acquire()  # as a thread of the parent might
        def child():
            assert [image.shape[0] for image in images[:]] == [3, 1, 4]
            assert images._zf is not parents
        process = multiprocessing.get_context('fork').Process(target=child)
        process.start()
        process.join(20)
        code = process.exitcode
        process.kill()
        sys.exit(code != 0)
    '''
    subprocess.run([sys.executable, '-c', code, folder / 'all.zip'], check=True,
                   timeout=60)


def test_without_pillow(folder, monkeypatch):
    monkeypatch.setattr(image_dataset, 'available', False)
    monkeypatch.setattr(image_dataset, '_import_error', ImportError('No module PIL'))
    images = datasets.ZippedImageDataset(str(folder / 'all.zip'))
    for use in (lambda: datasets.ImageDataset([]),
                lambda: datasets.LabeledImageDataset([]),
                lambda: images[0],
                lambda: datasets.LabeledZippedImageDataset('all.zip', 'pairs.txt')):
        with pytest.raises(ImportError, match='No module PIL.*pip install .pillow'):
            use()
