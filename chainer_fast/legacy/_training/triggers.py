"""A module of triggers that had another name up to version 2."""
from chainer_fast.legacy import _attributes


def install(patches):
    """Let it be imported by that name."""
    _attributes.move(patches, {
        'chainer_fast.training.triggers.interval':
            'chainer_fast.training.triggers.interval_trigger'})
