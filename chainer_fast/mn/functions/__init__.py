"""Communication between processes as functions of the graph.

Gradients take the way back: what a process sends in the forward pass, its gradient
receives in the backward pass. All processes have to run both.
"""
from chainer_fast.mn.functions import batch_normalization
from chainer_fast.mn.functions.collective_communication import (
    allgather,
    alltoall,
    bcast,
    gather,
    scatter,
)
from chainer_fast.mn.functions.point_to_point_communication import recv, send
from chainer_fast.mn.functions.pseudo_connect import pseudo_connect

__all__ = [
    'allgather', 'alltoall', 'batch_normalization', 'bcast', 'gather',
    'pseudo_connect', 'recv', 'scatter', 'send',
]
