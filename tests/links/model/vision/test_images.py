import numpy as np
import pytest
from PIL import Image

import chainer_fast as chainer
from chainer_fast.links.model.vision import _images, googlenet, resnet, vgg

IMAGE = np.arange(60, dtype='u1').reshape(5, 4, 3)
MEANS = [
    (vgg, [103.939, 116.779, 123.68]),
    (resnet, [103.063, 115.903, 123.152]),
    (googlenet, [104, 117, 123]),
]


@pytest.mark.parametrize('module, mean', MEANS)
def test_blue_green_and_red(module, mean):
    assert module.available
    x = module.prepare(IMAGE, size=None)
    assert (x.shape, x.dtype) == ((3, 5, 4), np.float32)
    expected = IMAGE.transpose(2, 0, 1)[::-1] - np.array(mean)[:, None, None]
    np.testing.assert_allclose(x, expected, rtol=1e-6)
    assert module.prepare(IMAGE).shape == (3, 224, 224)
    assert module.prepare(IMAGE, size=(6, 8)).shape == (3, 8, 6)


@pytest.mark.parametrize('image, expected', [
    (IMAGE.transpose(2, 0, 1), IMAGE),
    (IMAGE.astype('f') + .9, IMAGE),
    (IMAGE[:, :, 0], IMAGE[:, :, :1].repeat(3, 2)),
    (IMAGE[None, :, :, 0], IMAGE[:, :, :1].repeat(3, 2)),
    (np.concatenate([IMAGE, IMAGE[:, :, :1]], 2), IMAGE),       # with transparency
    (Image.fromarray(IMAGE), IMAGE),
    (Image.fromarray(IMAGE[:, :, 1]), IMAGE[:, :, 1:2].repeat(3, 2)),
])
def test_kinds_of_images(image, expected):
    np.testing.assert_array_equal(
        googlenet.prepare(image, size=None), googlenet.prepare(expected, size=None))


def test_resizing():
    # Of one color there is the same color.
    image = np.full((7, 9, 3), [10, 20, 30], 'u1')
    np.testing.assert_array_equal(
        googlenet.prepare(image, size=(3, 2))[:, 0, 0], [30 - 104, 20 - 117, 10 - 123])


def test_image_remains():
    image = IMAGE.astype('f')
    vgg.prepare(image, size=None)
    np.testing.assert_array_equal(image, IMAGE)


def test_dtype():
    for dtype in np.dtype('e'), np.dtype('d'):
        with chainer.using_config('dtype', dtype):
            assert vgg.prepare(IMAGE).dtype == dtype


def test_wrong_images():
    with pytest.raises(TypeError):
        vgg.prepare(IMAGE[None])
    with pytest.raises(AttributeError):
        vgg.prepare('name')


def test_without_pillow(monkeypatch):
    monkeypatch.setattr(_images, 'available', False)
    with pytest.raises(ImportError, match='Pillow .* pip install'):
        vgg.prepare(IMAGE)
