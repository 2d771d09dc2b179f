"""The VGG networks."""
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from chainer_fast.functions.activation.relu import relu
from chainer_fast.functions.activation.softmax import softmax
from chainer_fast.functions.noise.dropout import dropout
from chainer_fast.functions.pooling.max_pooling_nd import max_pooling_2d
from chainer_fast.initializers import constant, normal
from chainer_fast.links.connection.convolution_2d import Convolution2D
from chainer_fast.links.connection.linear import Linear
from chainer_fast.links.model.vision import _images, _network
from chainer_fast.serializers import npz
from chainer_fast.types import NdArray

available: bool = _images.available

# Mean of the training images: blue, green and red.
_MEAN = 103.939, 116.779, 123.68

# Number of convolutions before each pooling.
_CONVOLUTIONS = {16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
_CHANNELS = 64, 128, 256, 512, 512
_FEATURES = 4096
_CLASSES = 1000

_URL = (
    'https://www.robots.ox.ac.uk/%7Evgg/software/very_deep/caffe/'
    'VGG_ILSVRC_{}_layers.caffemodel')
# The authors publish no checksums; other projects use these.
_CHECKSUMS = {
    16: 'sha1:9363e1f6d65f7dba68c4f27a1e62105cdf6c4e24',
    19: 'sha1:239785e7862442717d831f682bb824055e51e9ba',
}


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> NdArray:
    """Convert an image to an input of VGG networks.

    Parameters
    ----------
    image : PIL.Image.Image or numpy.ndarray
        Image, or an array of shape ``(height, width)``, ``(height, width, channels)``
        or ``(channels, height, width)`` with numbers from 0 to 255.
    size : (int, int) or None
        Width and height of the result; those of the image if None.

    Returns
    -------
    numpy.ndarray, shape (3, height, width)
        Blue, green and red without their means in the training images.
    """
    return _images.prepare(image, size, _MEAN)


def _max_pooling_2d(x):
    return max_pooling_2d(x, 2, 2)


def _make_npz(path_npz, n_layers, model):
    path = _network.download_caffemodel([_URL.format(n_layers)], _CHECKSUMS[n_layers])
    npz.save_npz(path_npz, _network.read_caffemodel(path), compression=False)
    npz.load_npz(path_npz, model)
    return model


def _retrieve(name, n_layers, model):
    return _network.retrieve(
        name, lambda path: _make_npz(path, n_layers, model), model)


class VGGLayers(_network.ImageNetwork):
    """Base of :class:`VGG16Layers` and :class:`VGG19Layers`.

    Parameters
    ----------
    pretrained_model : str or None
        ``'auto'`` for the weights that the authors published. They are loaded from an
        npz file or the caffemodel in ``pfnet/chainer/models`` in the folder of data
        sets, or downloaded. Otherwise the path of an npz file. With None the weights
        are initialized randomly.
    n_layers : int
        16 or 19, the number of layers with weights.

    Raises
    ------
    ValueError
        If no network has this number of layers.
    OSError
        If the published weights are not in the folder of data sets and cannot be
        downloaded.

    References
    ----------
    K. Simonyan and A. Zisserman. `Very deep convolutional networks for large-scale
    image recognition <https://arxiv.org/abs/1409.1556>`__. ICLR 2015.
    """

    _features = 'fc7'
    _prepare = staticmethod(prepare)

    def __init__(
            self, pretrained_model: str | None = 'auto', n_layers: int = 16) -> None:
        super().__init__()
        if n_layers not in tuple(_CONVOLUTIONS):   # it may not be hashable
            raise ValueError(
                'there are VGG networks of 16 and of 19 layers, none of %r' % (
                    n_layers,))
        # Without pretrained weights, initialize them as in section 3.1.
        weight = normal.Normal(0.01) if pretrained_model is None else constant.Zero()
        arguments: dict[str, Any] = {
            'initialW': weight, 'initial_bias': constant.Zero()}
        # The additional layers of the larger network come last.
        counts = _CONVOLUTIONS[16]
        self._add_convolutions([0] * len(counts), counts, arguments)
        self.add_link('fc6', Linear(_CHANNELS[-1] * 7 * 7, _FEATURES, **arguments))
        self.add_link('fc7', Linear(_FEATURES, _FEATURES, **arguments))
        self.add_link('fc8', Linear(_FEATURES, _CLASSES, **arguments))
        self._add_convolutions(counts, _CONVOLUTIONS[n_layers], arguments)

        if pretrained_model == 'auto':
            name = 'VGG_ILSVRC_%d_layers.npz' % n_layers
            _retrieve(name, n_layers, self)
        elif pretrained_model:
            npz.load_npz(pretrained_model, self)

    def _add_convolutions(self, starts, stops, arguments):
        n_in = 3
        for i, n_out in enumerate(_CHANNELS):
            for j in range(starts[i], stops[i]):
                self.add_link('conv%d_%d' % (i + 1, j + 1), Convolution2D(
                    n_in if j == 0 else n_out, n_out, 3, 1, 1, **arguments))
            n_in = n_out

    def _functions(self, n_layers):
        layers = collections.OrderedDict()
        for i, count in enumerate(_CONVOLUTIONS[n_layers], 1):
            for j in range(1, count + 1):
                name = 'conv%d_%d' % (i, j)
                layers[name] = [self[name], relu]
            layers['pool%d' % i] = [_max_pooling_2d]
        for name in ('fc6', 'fc7'):
            layers[name] = [self[name], relu, dropout]
        layers['fc8'] = [self.fc8]
        layers['prob'] = [softmax]
        return layers

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel: str, path_npz: str) -> None:
        """Convert published weights.

        Parameters
        ----------
        path_caffemodel : str
            The caffemodel.
        path_npz : str
            The npz file that is written.

        Raises
        ------
        ImportError
            If protobuf is not installed.
        """
        caffemodel = _network.read_caffemodel(path_caffemodel)
        npz.save_npz(path_npz, caffemodel, compression=False)


class VGG16Layers(VGGLayers):
    """The VGG network with 16 layers.

    It maps images of shape ``(n, 3, 224, 224)`` to the probabilities of the 1000
    classes of ImageNet: the layer ``prob``. Thirteen convolutions of 3 x 3 and three
    fully connected layers have 138 million parameters.

    Parameters
    ----------
    pretrained_model : str or None
        ``'auto'`` for the weights that the authors published. They are loaded from an
        npz file or the caffemodel in ``pfnet/chainer/models`` in the folder of data
        sets, or downloaded. Otherwise the path of an npz file. With None the weights
        are initialized randomly.

    Attributes
    ----------
    functions : collections.OrderedDict
        Functions of each layer, by the name of the layer.
    available_layers : list of str
        Names of the layers, from ``conv1_1`` to ``fc8`` and ``prob``.

    Raises
    ------
    OSError
        If the published weights are not in the folder of data sets and cannot be
        downloaded.

    See Also
    --------
    chainer_fast.links.VGG19Layers
    chainer_fast.links.model.vision.vgg.prepare

    References
    ----------
    K. Simonyan and A. Zisserman. `Very deep convolutional networks for large-scale
    image recognition <https://arxiv.org/abs/1409.1556>`__. ICLR 2015.

    Examples
    --------
    Features and probabilities of images, with published weights: ::

        model = L.VGG16Layers()
        images = [PIL.Image.open(path) for path in paths]
        features = model.extract(images, layers=['fc7'])['fc7']
        probabilities = model.predict(images)
    """

    def __init__(self, pretrained_model: str | None = 'auto') -> None:
        super().__init__(pretrained_model, 16)

    @property
    def functions(self) -> dict[str, list[Callable[..., Any]]]:
        """Lists of functions by the name of the layer, in the order of the layers."""
        return self._functions(16)


class VGG19Layers(VGGLayers):
    """The VGG network with 19 layers.

    It is :class:`VGG16Layers` with three additional convolutions: ``conv3_4``,
    ``conv4_4`` and ``conv5_4``.

    Parameters
    ----------
    pretrained_model : str or None
        As for :class:`VGG16Layers`.

    Attributes
    ----------
    functions : collections.OrderedDict
        Functions of each layer, by the name of the layer.
    available_layers : list of str
        Names of the layers.

    Raises
    ------
    OSError
        If the published weights are not in the folder of data sets and cannot be
        downloaded.

    See Also
    --------
    chainer_fast.links.VGG16Layers
    chainer_fast.links.model.vision.vgg.prepare

    Examples
    --------
    ::

        model = L.VGG19Layers()
        images = [PIL.Image.open(path) for path in paths]
        features = model.extract(images, layers=['fc7'])['fc7']
    """

    def __init__(self, pretrained_model: str | None = 'auto') -> None:
        super().__init__(pretrained_model, 19)

    @property
    def functions(self) -> dict[str, list[Callable[..., Any]]]:
        """Lists of functions by the name of the layer, in the order of the layers."""
        return self._functions(19)
