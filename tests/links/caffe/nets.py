"""Files of Caffe, written for the tests."""
import numpy as np

from chainer_fast.links.caffe.caffe_function import CaffeFunction, caffe_pb


def blob(*shape, data=None):
    """Make weights: the numbers from 0 on, unless others are given."""
    if data is None:
        data = np.arange(np.prod(shape, dtype=int))
    return caffe_pb.BlobProto(data=np.ravel(data).tolist(), shape={'dim': shape})


def layer(kind, name='l1', bottom=('x',), top=('y',), **fields):
    """Make a layer of the current form."""
    return caffe_pb.LayerParameter(
        type=kind, name=name, bottom=bottom, top=top, **fields)


def v1_layer(kind, name='l1', bottom=('x',), top=('y',), **fields):
    """Make a layer of the form before."""
    return caffe_pb.V1LayerParameter(
        type=kind, name=name, bottom=bottom, top=top, **fields)


def write(path, layers=(), old_layers=()):
    """Write a network to a file, and return its path as a string."""
    net = caffe_pb.NetParameter(layer=layers, layers=old_layers)
    path.write_bytes(net.SerializeToString())
    return str(path)


def load(path, *layers):
    """Write a network, and read it."""
    return CaffeFunction(write(path, layers))
