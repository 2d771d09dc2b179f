"""Modules that contained ``fuse`` up to version 4."""
from chainer_fast.backends import cuda
from chainer_fast.legacy import _attributes


def install(patches):
    """Let them be imported; their contents are now in ``cuda``."""
    _attributes.move(patches, {
        'chainer_fast.cuda_fusion': cuda, 'chainer_fast.backends.cuda_fusion': cuda})
