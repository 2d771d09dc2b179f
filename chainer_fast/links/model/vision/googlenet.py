"""GoogLeNet."""
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from chainer_fast.functions.activation.relu import relu
from chainer_fast.functions.activation.softmax import softmax
from chainer_fast.functions.math.average import average
from chainer_fast.functions.noise.dropout import dropout
from chainer_fast.functions.normalization.local_response_normalization import (
    local_response_normalization,
)
from chainer_fast.functions.pooling.average_pooling_2d import average_pooling_2d
from chainer_fast.functions.pooling.max_pooling_nd import max_pooling_2d
from chainer_fast.initializers import constant, uniform
from chainer_fast.links.connection.convolution_2d import Convolution2D
from chainer_fast.links.connection.inception import Inception
from chainer_fast.links.connection.linear import Linear
from chainer_fast.links.model.vision import _images, _network
from chainer_fast.serializers import npz
from chainer_fast.types import NdArray

available: bool = _images.available

_MEAN = 104, 117, 123
# The server has not always had a certificate; the checksum replaces it.
_URLS = [
    scheme + '://dl.caffe.berkeleyvision.org/bvlc_googlenet.caffemodel'
    for scheme in ('https', 'http')]
# As in models/bvlc_googlenet/readme.md of https://github.com/BVLC/caffe.
_CHECKSUM = 'sha1:405fc5acd08a3bb12de8ee5e23a96bec22f08204'

# Table 1 of the paper: channels of the input, and of 1x1, 3x3 (reduced and itself),
# 5x5 (the same) and of the projection after pooling.
_INCEPTIONS = {
    '3a': (192, 64, 96, 128, 16, 32, 32),
    '3b': (256, 128, 128, 192, 32, 96, 64),
    '4a': (480, 192, 96, 208, 16, 48, 64),
    '4b': (512, 160, 112, 224, 24, 64, 64),
    '4c': (512, 128, 128, 256, 24, 64, 64),
    '4d': (512, 112, 144, 288, 32, 64, 64),
    '4e': (528, 256, 160, 320, 32, 128, 128),
    '5a': (832, 256, 160, 320, 32, 128, 128),
    '5b': (832, 384, 192, 384, 48, 128, 128),
}

# Caffe's names of the layers, by the names here.
_CAFFE_NAMES = {
    'conv1': 'conv1/7x7_s2', 'conv2_reduce': 'conv2/3x3_reduce', 'conv2': 'conv2/3x3',
    'loss1_conv': 'loss1/conv', 'loss1_fc1': 'loss1/fc', 'loss1_fc2':
    'loss1/classifier', 'loss2_conv': 'loss2/conv', 'loss2_fc1': 'loss2/fc',
    'loss2_fc2': 'loss2/classifier', 'loss3_fc': 'loss3/classifier',
}
_CAFFE_INCEPTION_NAMES = {
    'conv1': '1x1', 'proj3': '3x3_reduce', 'conv3': '3x3', 'proj5': '5x5_reduce',
    'conv5': '5x5', 'projp': 'pool_proj',
}


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> NdArray:
    """Convert an image to an input of GoogLeNet.

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
    return max_pooling_2d(x, 3, 2)


def _average_pooling_2d_k5(x):
    return average_pooling_2d(x, 5, 3)


def _average_pooling_2d_k7(x):
    return average_pooling_2d(x, 7, 1)


def _local_response_normalization(x):
    # Caffe's alpha applies to the sum over the window.
    return local_response_normalization(x, n=5, k=1, alpha=1e-4 / 5)


def _dropout(x):
    return dropout(x, 0.4)


def _copy(src, dst):
    dst.W.array[...] = src.W.array
    dst.b.array[...] = src.b.array


def _transfer_googlenet(src, dst):
    """Copy the weights of a Caffe network."""
    for name, source in _CAFFE_NAMES.items():
        _copy(src[source], dst[name])
    for block in _INCEPTIONS:
        for name, source in _CAFFE_INCEPTION_NAMES.items():
            _copy(src['inception_%s/%s' % (block, source)], dst['inc' + block][name])


def _make_npz(path_npz, model):
    path = _network.download_caffemodel(_URLS, _CHECKSUM)
    _transfer_googlenet(_network.read_caffemodel(path), model)
    npz.save_npz(path_npz, model, compression=False)
    return model


def _retrieve(name_npz, model):
    return _network.retrieve(name_npz, lambda path: _make_npz(path, model), model)


class GoogLeNet(_network.ImageNetwork):
    """GoogLeNet, with its auxiliary classifiers.

    It maps images of shape ``(n, 3, 224, 224)`` to the probabilities of the 1000
    classes of ImageNet: the layer ``prob``. The auxiliary classifiers are ``loss1_fc2``
    and ``loss2_fc2``, the main one ``loss3_fc``. It has about seven million parameters,
    not counting the auxiliary classifiers.

    Parameters
    ----------
    pretrained_model : str or None
        ``'auto'`` for the weights that BVLC published. They are loaded from an npz file
        or the caffemodel in ``pfnet/chainer/models`` in the folder of data sets, or
        downloaded. Otherwise the path of an npz file. With None the weights are
        initialized randomly.

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
    chainer_fast.links.Inception
    chainer_fast.links.model.vision.googlenet.prepare

    References
    ----------
    C. Szegedy et al. `Going deeper with convolutions
    <https://arxiv.org/abs/1409.4842>`__. CVPR 2015.

    Examples
    --------
    >>> model = L.GoogLeNet(pretrained_model=None)
    >>> model.available_layers[-4:]
    ['loss3_fc', 'prob', 'loss1_fc2', 'loss2_fc2']

    Features and probabilities of images, with published weights: ::

        model = L.GoogLeNet()
        images = [PIL.Image.open(path) for path in paths]
        features = model.extract(images, layers=['pool5'])['pool5']
        probabilities = model.predict(images)
    """

    _mode = 'train'

    _features = 'pool5'
    _branches = {'loss1_fc2': 'inception_4a', 'loss2_fc2': 'inception_4d'}
    _prepare = staticmethod(prepare)

    def __init__(self, pretrained_model: str | None = 'auto') -> None:
        super().__init__()
        drawn = pretrained_model is None
        init: dict[str, Any] = {
            'initialW': uniform.LeCunUniform() if drawn else constant.Zero()}
        with self.init_scope():
            self.conv1: Convolution2D = Convolution2D(3, 64, 7, 2, 3, **init)
            self.conv2_reduce: Convolution2D = Convolution2D(64, 64, 1, **init)
            self.conv2: Convolution2D = Convolution2D(64, 192, 3, 1, 1, **init)
            for block, channels in _INCEPTIONS.items():
                setattr(self, 'inc' + block, Inception(*channels))
            self.loss3_fc: Linear = Linear(1024, 1000, **init)
            for name, n_in in (('loss1', 512), ('loss2', 528)):
                setattr(self, name + '_conv', Convolution2D(n_in, 128, 1, **init))
                setattr(self, name + '_fc1', Linear(128 * 4 * 4, 1024, **init))
                setattr(self, name + '_fc2', Linear(1024, 1000, **init))

        if pretrained_model == 'auto':
            _retrieve('bvlc_googlenet.npz', self)
        elif pretrained_model:
            npz.load_npz(pretrained_model, self)

    @property
    def functions(self) -> dict[str, list[Callable[..., Any]]]:
        """Lists of functions by the name of the layer, in the order of the layers."""
        layers: dict[str, list[Any]] = collections.OrderedDict(
            conv1=[self.conv1, relu],
            pool1=[_max_pooling_2d, _local_response_normalization],
            conv2_reduce=[self.conv2_reduce, relu],
            conv2=[self.conv2, relu, _local_response_normalization],
            pool2=[_max_pooling_2d],
        )
        for block in _INCEPTIONS:
            layers['inception_' + block] = [self['inc' + block]]
            if block in ('3b', '4e'):
                layers['pool' + block[0]] = [_max_pooling_2d]
        layers['pool5'] = [_average_pooling_2d_k7]
        layers['loss3_fc'] = [_dropout, self.loss3_fc]
        layers['prob'] = [softmax]
        for name in ('loss1', 'loss2'):
            layers[name + '_fc2'] = [
                _average_pooling_2d_k5, self[name + '_conv'], relu,
                self[name + '_fc1'], relu, self[name + '_fc2']]
        return layers

    @staticmethod
    def _over_crops(y):
        return average(y, axis=1)

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
        model = cls(pretrained_model=None)
        _transfer_googlenet(caffemodel, model)
        npz.save_npz(path_npz, model, compression=False)
