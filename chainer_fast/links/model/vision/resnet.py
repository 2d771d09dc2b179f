"""Residual networks."""
from __future__ import annotations

import collections
import os
from collections.abc import Callable, Iterable
from typing import Any

from chainer_fast import link
from chainer_fast.functions.activation.relu import relu
from chainer_fast.functions.activation.softmax import softmax
from chainer_fast.functions.array.reshape import reshape
from chainer_fast.functions.pooling.average_pooling_2d import average_pooling_2d
from chainer_fast.functions.pooling.max_pooling_nd import max_pooling_2d
from chainer_fast.initializers import constant, normal
from chainer_fast.links.connection.convolution_2d import Convolution2D
from chainer_fast.links.connection.linear import Linear
from chainer_fast.links.model.vision import _images, _network, _resnet_weights
from chainer_fast.links.normalization.batch_normalization import BatchNormalization
from chainer_fast.serializers import npz
from chainer_fast.types import InitializerSpec, NdArray
from chainer_fast.utils import argument
from chainer_fast.variable import Variable, VariableOrArray

available: bool = _images.available

_MEAN = 103.063, 115.903, 123.152
_URL = 'https://github.com/KaimingHe/deep-residual-networks'

# Table 1 of the paper: number of residual units in conv2_x to conv5_x.
_UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> NdArray:
    """Convert an image to an input of residual networks.

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


def _global_average_pooling_2d(x):
    """Average over the pixels; the result has the shape ``(n, channels)``."""
    return reshape(average_pooling_2d(x, x.shape[2:], 1), x.shape[:2])


class _Bottleneck(link.Chain):
    """A convolution of 3 x 3 between two of 1 x 1, each with a normalization.

    Parameters
    ----------
    sizes : iterable of tuple
        Arguments of each convolution: channels before and after it, size of the
        window, stride and padding.
    initialW : initializer or None
        Initializes the filters.
    """

    def __init__(
            self, sizes: Iterable[tuple[Any, ...]],
            initialW: InitializerSpec | None) -> None:
        super().__init__()
        with self.init_scope():
            for i, size in enumerate(sizes, 1):
                setattr(self, 'conv%d' % i, Convolution2D(  # type: ignore[misc]
                    *size, initialW=initialW, nobias=True))
                setattr(self, 'bn%d' % i, BatchNormalization(size[1]))

    def _residual(self, x):
        x = relu(self.bn1(self.conv1(x)))
        x = relu(self.bn2(self.conv2(x)))
        return self.bn3(self.conv3(x))


class BottleneckA(_Bottleneck):
    """A residual unit that changes the size, and has a convolution as its shortcut.

    Parameters
    ----------
    in_channels, mid_channels, out_channels : int
        Numbers of channels before, within and after the unit.
    stride : int
        Stride of the first convolution, and of the shortcut.
    initialW : initializer or None
        Initializes the filters.
    downsample_fb : bool
        Whether the second convolution has the stride, as in Facebook's implementation,
        rather than the first one, as in the authors'.
    """

    def __init__(
            self, in_channels: int, mid_channels: int, out_channels: int,
            stride: int = 2, initialW: InitializerSpec | None = None,
            downsample_fb: bool = False) -> None:
        first, second = (1, stride) if downsample_fb else (stride, 1)
        super().__init__((
            (in_channels, mid_channels, 1, first, 0),
            (mid_channels, mid_channels, 3, second, 1),
            (mid_channels, out_channels, 1, 1, 0),
            (in_channels, out_channels, 1, stride, 0),
        ), initialW)

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the unit.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, height, width)
            Images.

        Returns
        -------
        chainer_fast.Variable
            Images of ``out_channels`` channels.
        """
        return relu(self._residual(x) + self.bn4(self.conv4(x)))


class BottleneckB(_Bottleneck):
    """A residual unit that keeps the size.

    Parameters
    ----------
    in_channels, mid_channels : int
        Number of channels outside of and within the unit.
    initialW : initializer or None
        Initializes the filters.
    """

    def __init__(
            self, in_channels: int, mid_channels: int,
            initialW: InitializerSpec | None = None) -> None:
        super().__init__((
            (in_channels, mid_channels, 1, 1, 0),
            (mid_channels, mid_channels, 3, 1, 1),
            (mid_channels, in_channels, 1, 1, 0),
        ), initialW)

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the unit.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, height, width)
            Images.

        Returns
        -------
        chainer_fast.Variable
            Images of the same shape.
        """
        return relu(self._residual(x) + x)


class BuildingBlock(link.Chain):
    """A row of residual units, the first of which changes the size.

    The children are ``a``, a :class:`BottleneckA`, and ``b1``, ``b2``, ..., each a
    :class:`BottleneckB`.

    Parameters
    ----------
    n_layers : int
        Number of units.
    in_channels, mid_channels, out_channels : int
        Numbers of channels before, within and after the units.
    stride : int
        Stride of the first unit.
    initialW : initializer or None
        Initializes the filters.
    downsample_fb : bool
        Which convolution has that stride; see :class:`BottleneckA`.
    **kwargs
        ``n_layer`` is the old name of ``n_layers``. Other arguments are ignored.
    """

    def __init__(
            self, n_layers: Any = None, in_channels: Any = None,
            mid_channels: Any = None, out_channels: Any = None,
            stride: Any = None, initialW: InitializerSpec | None = None,
            downsample_fb: Any = None, **kwargs: Any) -> None:
        super().__init__()
        n_layers = argument.take_renamed(kwargs, 'n_layer', 'n_layers', n_layers)
        self._forward = []
        self._append('a', BottleneckA(
            in_channels, mid_channels, out_channels, stride, initialW, downsample_fb))
        for i in range(1, n_layers):
            self._append('b%d' % i, BottleneckB(out_channels, mid_channels, initialW))

    def _append(self, name, unit):
        self.add_link(name, unit)
        self._forward.append(name)

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the units.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, height, width)
            Images.

        Returns
        -------
        chainer_fast.Variable
            Images of ``out_channels`` channels.
        """
        y: Any = x
        for name in self._forward:
            y = getattr(self, name)(y)
        return y


class ResNetLayers(_network.ImageNetwork):
    """A residual network with bottlenecks.

    It maps images of shape ``(n, 3, 224, 224)`` to the probabilities of the 1000
    classes of ImageNet: the layer ``prob``. A residual unit computes

    .. math:: y = \\max(0, F(x) + x)

    where :math:`F` is three convolutions, each with batch normalization.

    Parameters
    ----------
    pretrained_model : str or None
        A caffemodel of the authors, given by its path or by its name in the folder
        ``pfnet/chainer/models`` of the data sets, where it is converted once to an npz
        file. Otherwise the path of an npz file. With None the weights are initialized
        randomly.
    n_layers : int
        50, 101 or 152, the number of layers with weights.
    downsample_fb : bool
        Which convolution of a unit has the stride; see :class:`BottleneckA`. The
        authors' weights are for False.

    Attributes
    ----------
    functions : collections.OrderedDict
        Functions of each layer, by the name of the layer.
    available_layers : list of str
        Names of the layers, from ``conv1`` to ``fc6`` and ``prob``.

    Raises
    ------
    ValueError
        If no network has this number of layers.
    OSError
        If the caffemodel does not exist.

    References
    ----------
    K. He et al. `Deep residual learning for image recognition
    <https://arxiv.org/abs/1512.03385>`__. CVPR 2016.

    Examples
    --------
    >>> L.ResNet50Layers(pretrained_model=None).available_layers
    ['conv1', 'pool1', 'res2', 'res3', 'res4', 'res5', 'pool5', 'fc6', 'prob']
    """

    _features = 'pool5'
    _prepare = staticmethod(prepare)

    def __init__(
            self, pretrained_model: str | None, n_layers: int,
            downsample_fb: bool = False) -> None:
        super().__init__()
        if n_layers not in tuple(_UNITS):   # it may not be hashable
            raise ValueError(
                'there are residual networks of 50, 101 and 152 layers, none of %r'
                % (n_layers,))
        if pretrained_model is None:
            filters = normal.HeNormal(scale=1.0)
        else:
            filters = constant.Zero()
        with self.init_scope():
            self.conv1: Convolution2D = Convolution2D(3, 64, 7, 2, 3, initialW=filters)
            self.bn1: Any = BatchNormalization(64)
            n_in = 64
            for i, count in enumerate(_UNITS[n_layers]):
                n_mid, n_out = 64 << i, 256 << i
                setattr(self, 'res%d' % (i + 2), BuildingBlock(
                    count, n_in, n_mid, n_out, 1 if i == 0 else 2, filters,
                    downsample_fb))
                n_in = n_out
            self.fc6: Linear = Linear(n_in, 1000)

        if not pretrained_model:
            return
        if pretrained_model.endswith('.caffemodel'):
            name = 'ResNet-%d-model.npz' % n_layers
            _retrieve(n_layers, name, pretrained_model, self)
        else:
            npz.load_npz(pretrained_model, self)

    @property
    def functions(self) -> dict[str, list[Callable[..., Any]]]:
        """Lists of functions by the name of the layer, in the order of the layers."""
        return collections.OrderedDict(
            conv1=[self.conv1, self.bn1, relu],
            pool1=[_max_pooling_2d],
            res2=[self.res2],
            res3=[self.res3],
            res4=[self.res4],
            res5=[self.res5],
            pool5=[_global_average_pooling_2d],
            fc6=[self.fc6],
            prob=[softmax],
        )

    @classmethod
    def convert_caffemodel_to_npz(
            cls, path_caffemodel: str, path_npz: str, n_layers: int = 50) -> None:
        """Convert published weights.

        Parameters
        ----------
        path_caffemodel : str
            The caffemodel.
        path_npz : str
            The npz file that is written.
        n_layers : int
            Number of layers of the network.

        Raises
        ------
        ImportError
            If protobuf is not installed.
        """
        caffemodel = _network.read_caffemodel(path_caffemodel)
        model = ResNetLayers(None, n_layers)
        _resnet_weights.transfer(caffemodel, model, n_layers)
        npz.save_npz(path_npz, model, compression=False)


class ResNet50Layers(ResNetLayers):
    """The residual network with 50 layers.

    See :class:`ResNetLayers` for the formula and the layers. It has 26 million
    parameters.

    Parameters
    ----------
    pretrained_model : str or None
        ``'auto'`` for the authors' weights, which the user must place in the folder
        ``pfnet/chainer/models`` of the data sets. For other values see
        :class:`ResNetLayers`.
    downsample_fb : bool
        Which convolution of a unit has the stride; see :class:`BottleneckA`.

    Raises
    ------
    OSError
        If the authors' weights are not in that folder.

    See Also
    --------
    chainer_fast.links.ResNet101Layers
    chainer_fast.links.ResNet152Layers
    chainer_fast.links.model.vision.resnet.prepare

    References
    ----------
    K. He et al. `Deep residual learning for image recognition
    <https://arxiv.org/abs/1512.03385>`__. CVPR 2016.

    Examples
    --------
    Features and probabilities of images, with the authors' weights: ::

        model = L.ResNet50Layers()
        images = [PIL.Image.open(path) for path in paths]
        features = model.extract(images, layers=['pool5'])['pool5']
        probabilities = model.predict(images)
    """

    def __init__(
            self, pretrained_model: str | None = 'auto',
            downsample_fb: bool = False) -> None:
        super().__init__(_file(pretrained_model, 50), 50, downsample_fb)


class ResNet101Layers(ResNetLayers):
    """The residual network with 101 layers.

    See :class:`ResNetLayers` for the formula and the layers. It has 45 million
    parameters.

    Parameters
    ----------
    pretrained_model : str or None
        As for :class:`ResNet50Layers`.
    downsample_fb : bool
        Which convolution of a unit has the stride; see :class:`BottleneckA`.

    Raises
    ------
    OSError
        If the authors' weights are not in that folder.

    See Also
    --------
    chainer_fast.links.ResNet50Layers

    Examples
    --------
    ::

        model = L.ResNet101Layers()
        features = model.extract(images, layers=['pool5'])['pool5']
    """

    def __init__(
            self, pretrained_model: str | None = 'auto',
            downsample_fb: bool = False) -> None:
        super().__init__(_file(pretrained_model, 101), 101, downsample_fb)


class ResNet152Layers(ResNetLayers):
    """The residual network with 152 layers.

    See :class:`ResNetLayers` for the formula and the layers. It has 60 million
    parameters.

    Parameters
    ----------
    pretrained_model : str or None
        As for :class:`ResNet50Layers`.
    downsample_fb : bool
        Which convolution of a unit has the stride; see :class:`BottleneckA`.

    Raises
    ------
    OSError
        If the authors' weights are not in that folder.

    See Also
    --------
    chainer_fast.links.ResNet50Layers

    Examples
    --------
    ::

        model = L.ResNet152Layers()
        features = model.extract(images, layers=['pool5'])['pool5']
    """

    def __init__(
            self, pretrained_model: str | None = 'auto',
            downsample_fb: bool = False) -> None:
        super().__init__(_file(pretrained_model, 152), 152, downsample_fb)


def _file(pretrained_model, n_layers):
    if pretrained_model == 'auto':
        return 'ResNet-%d-model.caffemodel' % n_layers
    return pretrained_model


def _retrieve(n_layers, name_npz, name_caffemodel, model):
    path = os.path.join(_network.models_folder(), name_caffemodel)
    return _network.retrieve(
        name_npz, lambda path_npz: _make_npz(path_npz, path, model, n_layers), model)


def _make_npz(path_npz, path_caffemodel, model, n_layers):
    if not os.path.exists(path_caffemodel):
        raise OSError(
            'there is no pre-trained caffemodel. Please download it from %r, and place '
            'it on %s' % (_URL, path_caffemodel))
    caffemodel = _network.read_caffemodel(path_caffemodel)
    _resnet_weights.transfer(caffemodel, model, n_layers)
    npz.save_npz(path_npz, model, compression=False)
    return model
