"""Iterators that provide all processes with the same batches."""
from chainer_fast.mn.iterators.multi_node_iterator import (
    create_multi_node_iterator as create_multi_node_iterator,
)
from chainer_fast.mn.iterators.synchronized_iterator import (
    create_synchronized_iterator as create_synchronized_iterator,
)
