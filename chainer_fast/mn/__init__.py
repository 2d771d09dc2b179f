"""Training on many processes and machines: the package ``chainermn`` of Chainer.

Importing it needs no MPI. Communicators need mpi4py and an MPI library: see
:func:`create_communicator`.
"""
from chainer_fast.mn import (
    communicators,
    datasets,
    extensions,
    functions,
    global_except_hook,
    iterators,
    links,
    optimizers,
    testing,
)
from chainer_fast.mn.communicators import CommunicatorBase, create_communicator
from chainer_fast.mn.datasets import DataSizeError, scatter_dataset, scatter_index
from chainer_fast.mn.extensions import (
    create_multi_node_checkpointer,
    create_multi_node_evaluator,
)
from chainer_fast.mn.links import MultiNodeChainList
from chainer_fast.mn.optimizers import create_multi_node_optimizer
