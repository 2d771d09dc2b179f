"""Caffe networks that are read from files."""
from __future__ import annotations

import copy
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

from google.protobuf import message

from chainer_fast import link
from chainer_fast.links.caffe._errors import CaffeModelError

# Programs that add layer types also use names of the private modules.
from chainer_fast.links.caffe._layers import (  # noqa: F401
    _CallChildLink,
    _EltwiseFunction,
    _ListArgumentFcuntion,
    _SingleArgumentFunction,
    _SingleArgumentFunctionTestMode,
    _SingleArgumentFunctionWithCudnn,
)
from chainer_fast.links.caffe._params import (  # noqa: F401
    _Blob,
    _ConvolutionBlob,
    _get_channels,
    _get_height,
    _get_ksize,
    _get_num,
    _get_pad,
    _get_stride,
    _get_width,
)
from chainer_fast.links.caffe._setups import (  # noqa: F401
    _layer,
    _oldname_to_method,
    _type_to_method,
)
from chainer_fast.links.caffe.protobuf3 import caffe_pb2 as caffe_pb
from chainer_fast.utils import argument
from chainer_fast.variable import Variable


def _read(path):
    with open(path, 'rb') as file:
        content = file.read()
    try:
        net = caffe_pb.NetParameter.FromString(content)
    except (message.DecodeError, ValueError) as e:
        raise CaffeModelError(
            '%s is not a caffemodel, or it is truncated or damaged: %s'
            % (path, e)) from e
    # An empty file is a network without layers, which the exporter writes.
    if content and not net.layer and not net.layers:
        raise CaffeModelError(
            '%s (%d bytes) is not a caffemodel, or it is truncated or damaged: it has '
            'no layer' % (path, len(content)))
    return net


def _check_names(layer):
    """Check that names are text: protobuf returns bytes if they are not UTF-8."""
    for name in (layer.name, layer.type, *layer.bottom, *layer.top):
        if isinstance(name, bytes):
            raise ValueError('a name has the bytes %r, which are not UTF-8' % (name,))


# Errors that invalid layers raise.
_WRONG = AttributeError, IndexError, RuntimeError, TypeError, ValueError

_Caffe = TypeVar('_Caffe', bound='CaffeFunction')


class CaffeFunction(link.Chain):
    """A Caffe network as a function of variables.

    Layers with weights become children under their own names. Layers of unsupported
    types are skipped with a warning, data layers without one. The supported types are
    Concat, Convolution, Deconvolution, Dropout, InnerProduct, LRN (across channels),
    Pooling (by maximum or average), ReLU, Reshape (of all axes), BatchNorm, Eltwise,
    Scale, Slice, Softmax (along channels), Sigmoid, SoftmaxWithLoss and Split, both in
    Caffe's current form and in the old one (``layers``). Rules that include or exclude
    layers are ignored: ``chainer.config.train`` determines what a layer computes.
    Average pooling omits windows that extend beyond the image.

    Parameters
    ----------
    model_path : str
        Path of the file in Caffe's binary format (not the text format).

    Attributes
    ----------
    forwards : dict
        Callables that compute the layers, by the name of the layer.
    layers : list of (str, list of str, list of str)
        Names of the layers in their order, with the names of their inputs and outputs.
    split_map : dict
        Original variable of each output of a Split layer.
    variables : dict
        All values that the last call computed, by name.

    Raises
    ------
    CaffeModelError
        If the file is not a caffemodel, or is damaged; if weights of a layer are
        missing or do not match its sizes; if a layer uses an unsupported feature. The
        message names the file and the layer. The error is also a
        ``google.protobuf.message.DecodeError``, a RuntimeError, a ValueError, an
        IndexError and an AttributeError.
    OSError
        If the file cannot be opened.

    See Also
    --------
    chainer_fast.exporters.caffe.export

    Notes
    -----
    Damage that leaves a valid file, such as a changed weight, cannot be detected.

    Examples
    --------
    A network of this package, written to Caffe's files and read again: ::

        net = L.Linear(3, 2)
        x = chainer.Variable(np.ones((1, 3), np.float32))
        chainer.exporters.caffe.export(net, [x], '.')

        caffe_net = L.caffe.CaffeFunction('chainer_model.caffemodel')
        y, = caffe_net(inputs={'data': x}, outputs=['LinearFunction-0-1'])
    """

    forwards: dict[Any, Any]
    split_map: dict[Any, Any]
    layers: list[tuple[str, Sequence[str], Sequence[str]]]
    variables: dict[Any, Any]

    def __init__(self, model_path: str) -> None:
        super().__init__()
        net = _read(model_path)
        self.forwards, self.split_map, self.layers = {}, {}, []
        new = len(net.layer) > 0
        methods = _type_to_method if new else _oldname_to_method
        for layer in net.layer if new else net.layers:
            try:
                _check_names(layer)
                setup = methods.get(layer.type)
                if setup is not None:
                    setup(self, layer)
            except _WRONG as e:
                text = '%s: layer "%s": %s' % (model_path, layer.name, e)
                if type(e) in _WRONG:
                    raise CaffeModelError(text) from e
                # An error in a program that adds layer types.
                if len(e.args) == 1:
                    e.args = text,
                raise
            if setup is None:
                warnings.warn(
                    'Skip the layer "%s", since CaffeFunction does not support %s' % (
                        layer.name, '%s layer' % (layer.type,) if new else 'it'))

    def copy(self: _Caffe, mode: str = 'share') -> _Caffe:
        """Copy the network, see :meth:`chainer_fast.Link.copy`.

        Parameters
        ----------
        mode : str
            How to copy the parameters.

        Returns
        -------
        CaffeFunction
            The copy, whose layers use its own children.
        """
        copied: Any = super().copy(mode)
        copied.forwards = copy.deepcopy(self.forwards, {id(self): copied})
        return copied

    def forward(
            self, inputs: dict[Any, Any], outputs: Iterable[str],
            disable: Collection[str] = (), **kwargs: Any) -> tuple[Variable, ...]:
        """Run the network.

        Layers are skipped if some of their inputs are missing.

        Parameters
        ----------
        inputs : dict
            Variables by name.
        outputs : iterable of str
            Names of the variables to return.
        disable : container of str
            Names of layers to skip.

        Returns
        -------
        tuple of chainer_fast.Variable
            The outputs.

        Raises
        ------
        KeyError
            If an output has not been computed.
        ValueError
            If the retired argument ``train`` is given.
        """
        if kwargs:
            argument.refuse(kwargs, 'train')
        known = self.variables = dict(inputs)
        for name, bottom, top in self.layers:
            if name in disable or any(b not in known for b in bottom):
                continue
            ys = self.forwards[name](*[known[b] for b in bottom])
            if not isinstance(ys, (list, tuple)):
                ys = ys,
            known.update(zip(top, ys, strict=False))
        return tuple([
            known[o if o in known else self.split_map.get(o, o)] for o in outputs])

    def _add_layer(self, layer):
        bottom = [self.split_map.get(b, b) for b in layer.bottom]
        self.layers.append((layer.name, bottom, list(layer.top)))
