"""Modules that version 1 had elsewhere."""
from chainer_fast.legacy import _attributes


def install(patches):
    """Let them be imported from there."""
    _attributes.move(patches, {
        'chainer_fast.functions.caffe': 'chainer_fast.links.caffe.caffe_function'})
