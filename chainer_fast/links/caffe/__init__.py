"""Caffe networks as links; requires protobuf."""
from __future__ import annotations

from chainer_fast._help import installation

try:
    import google.protobuf
except ImportError as e:
    raise ModuleNotFoundError(
        'protobuf is needed for the files of Caffe: %s (%s)' % (
            installation.install('caffe'), e), name=e.name) from e

from chainer_fast.links.caffe._errors import CaffeModelError as CaffeModelError
from chainer_fast.links.caffe.caffe_function import CaffeFunction as CaffeFunction
