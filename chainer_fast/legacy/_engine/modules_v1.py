"""Modules with other names in version 1."""
from chainer_fast.legacy import _attributes


def install(patches):
    """Let them be imported under those names."""
    _attributes.move(patches, {
        'chainer_fast.functions.caffe': 'chainer_fast.links.caffe.caffe_function'})
