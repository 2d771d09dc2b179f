"""Base of networks for images."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from chainer_fast import link, variable
from chainer_fast.configuration import using_config
from chainer_fast.dataset import convert, download
from chainer_fast.function import no_backprop_mode
from chainer_fast.functions.array.reshape import reshape
from chainer_fast.functions.math.sum import sum as sum_
from chainer_fast.serializers import npz
from chainer_fast.utils import argument, imgproc
from chainer_fast.variable import Variable, VariableOrArray

# Size of the crops that are cut from larger images for predictions.
_CROP = 224
_LARGER = 256


class ImageNetwork(link.Chain):
    """A network with named layers.

    A subclass defines the layers in :attr:`functions`.
    """

    # Name of a former argument that chose between training and testing.
    _mode = 'test'

    # Layer that is extracted by default.
    _features = None

    # Layers of side branches, and the layer where each starts.
    _branches = {}

    @property
    def functions(self) -> dict[str, list[Callable[..., Any]]]:
        """Lists of functions by the name of the layer, in the order of the layers."""
        raise NotImplementedError

    @property
    def available_layers(self) -> list[str]:
        """Names of the layers, in their order."""
        return list(self.functions)

    @staticmethod
    def _prepare(image, size):
        raise NotImplementedError

    @staticmethod
    def _over_crops(y):
        """Average predictions over the second axis."""
        return sum_(y, axis=1) / y.shape[1]

    def forward(
            self, x: VariableOrArray, layers: Iterable[str | None] | None = None,
            **kwargs: Any) -> dict[Any, Any]:
        """Compute layers.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, 3, height, width)
            Images, as ``prepare`` returns them.
        layers : iterable of str or None
            Names of the layers; ``['prob']`` if None.

        Returns
        -------
        dict
            Variables by the name of the layer. Unknown names are ignored.

        Raises
        ------
        ValueError
            If a retired argument is given: ``test``, or ``train`` of GoogLeNet.
        """
        if kwargs:
            argument.refuse(kwargs, self._mode)
        wanted = {'prob'} if layers is None else set(layers)
        starts = self._branches.values()
        found, kept = {}, {}
        for name, functions in self.functions.items():
            if not wanted:
                break
            branch = self._branches.get(name)
            if branch is None:
                y = x
            elif name in wanted:
                y = kept[branch]
            else:
                continue
            for function in functions:
                y = function(y)
            if branch is None:
                x = y
            if name in starts:
                kept[name] = y
            if name in wanted:
                found[name] = y
                wanted.remove(name)
        return found

    def extract(
            self, images: Iterable[Any],
            layers: Iterable[str | None] | None = None,
            size: tuple[int, int] | None = (_CROP, _CROP),
            **kwargs: Any) -> dict[Any, Any]:
        """Compute layers of images, to use them as features.

        The configuration is not changed: set ``train`` and ``enable_backprop`` to False
        if only the features are needed.

        Parameters
        ----------
        images : iterable of PIL.Image.Image or numpy.ndarray
            Images; ``prepare`` is applied to each.
        layers : iterable of str or None
            Names of the layers; by default a layer whose features are useful for other
            tasks.
        size : (int, int) or None
            Width and height to resize the images to. If None, they are not resized and
            must have equal sizes.

        Returns
        -------
        dict
            Variables by the name of the layer.

        Raises
        ------
        ValueError
            If there are no images, if they differ in size, or if one of the retired
            arguments ``volatile`` and ``test`` (``train`` of GoogLeNet) is given.
        """
        if kwargs:
            argument.refuse(kwargs, self._mode, 'volatile')
        x = variable.Variable(self._batch(images, size))
        return self(x, layers=[self._features] if layers is None else layers)

    def _batch(self, images, size):
        return self.device.send(convert.concat_examples(
            [self._prepare(image, size=size) for image in images]))

    def predict(self, images: Iterable[Any], oversample: bool = True) -> Variable:
        """Compute probabilities of the classes of images.

        Parameters
        ----------
        images : iterable of PIL.Image.Image or numpy.ndarray
            Images; ``prepare`` is applied to each, and they are resized to 256 x 256.
        oversample : bool
            Whether to average over ten crops of each image: the corners and the middle,
            and their mirror images. Otherwise only the middle is used.

        Returns
        -------
        chainer_fast.Variable, shape (n, classes)
            Probabilities.
        """
        x = self._batch(images, (_LARGER, _LARGER))
        if oversample:
            x = imgproc.oversample(x, crop_dims=(_CROP, _CROP))
        else:
            margin = (_LARGER - _CROP) // 2
            x = x[:, :, margin:margin + _CROP, margin:margin + _CROP]
        with using_config('train', False), no_backprop_mode():
            y = self(variable.Variable(x), layers=['prob'])['prob']
            if oversample:
                y = self._over_crops(reshape(y, (-1, 10) + y.shape[1:]))
        return y


def models_folder():
    """Return the folder for the weights of networks."""
    return download.get_dataset_directory('pfnet/chainer/models')


def read_caffemodel(path):
    """Read a Caffe network, which requires protobuf."""
    from chainer_fast.links.caffe.caffe_function import CaffeFunction
    print('Now loading caffemodel (usually it may take few minutes)', file=sys.stderr)
    return CaffeFunction(path)


def retrieve(name, create, model):
    """Load weights from the folder of models; create the file first if needed.

    Parameters
    ----------
    name : str
        Name of the npz file.
    create : callable
        Called with the path of the file. It creates the file and fills the model.
    model : chainer_fast.Link
        The network.
    """
    return download.cache_or_load_file(
        os.path.join(models_folder(), name), create,
        lambda path: npz.load_npz(path, model))


def download_caffemodel(urls, checksum):
    """Return the path of a caffemodel, downloading it if necessary.

    Parameters
    ----------
    urls : sequence of str
        Addresses of the file, tried in this order.
    checksum : str
        Checksum of the file, as for ``cached_download``. A file that the user has
        placed in the folder of models may differ.

    Raises
    ------
    OSError
        If the file can be neither found nor downloaded.
    """
    path = os.path.join(models_folder(), os.path.basename(urls[0]))
    if os.path.exists(path):
        return path
    reasons = []
    for url in urls:
        try:
            return download.cached_download(url, checksum=checksum)
        except OSError as e:
            reasons.append(e)
    raise OSError(
        'the weights cannot be downloaded (%s). Please get the caffemodel from %r and '
        'place it on %s' % ('; '.join(map(str, reasons)), urls[0], path)
    ) from reasons[0]
