"""A second name for ``dump_graph``, up to version 5."""
import sys

from chainer_fast.legacy import _attributes
from chainer_fast.training import extensions


def install(patches):
    """Restore it."""
    name = 'chainer_fast.training.extensions.computational_graph'
    _attributes.provide(
        patches, sys.modules[name], name.replace('_fast', '') + '.%s',
        {'dump_graph': extensions.dump_graph})
