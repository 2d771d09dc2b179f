"""Communication between processes as functions of the graph.

Gradients are sent in the opposite direction: for a variable that a process sends
in the forward pass, it receives the gradient in the backward pass. All processes
must run both passes.
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
