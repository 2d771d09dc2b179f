"""Training on many processes and machines: the package ``chainermn`` of Chainer.

Importing it needs no MPI. Communicators need mpi4py and an MPI library: see
:func:`create_communicator`.
"""
from chainer_fast.mn import (
    communicators as communicators,
    datasets as datasets,
    extensions as extensions,
    functions as functions,
    global_except_hook as global_except_hook,
    iterators as iterators,
    links as links,
    optimizers as optimizers,
    testing as testing,
)
from chainer_fast.mn.communicators import (
    CommunicatorBase as CommunicatorBase,
    create_communicator as create_communicator,
)
from chainer_fast.mn.datasets import (
    DataSizeError as DataSizeError,
    scatter_dataset as scatter_dataset,
    scatter_index as scatter_index,
)
from chainer_fast.mn.extensions import (
    create_multi_node_checkpointer as create_multi_node_checkpointer,
    create_multi_node_evaluator as create_multi_node_evaluator,
)
from chainer_fast.mn.links import MultiNodeChainList as MultiNodeChainList
from chainer_fast.mn.optimizers import (
    create_multi_node_optimizer as create_multi_node_optimizer,
)
