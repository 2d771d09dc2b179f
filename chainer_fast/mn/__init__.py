"""Training on many processes and machines: the package ``chainermn`` of Chainer.

Importing it needs no MPI. Communicators need mpi4py and an MPI library: see
:func:`create_communicator`.
"""
from chainer_fast.mn.communicators import CommunicatorBase, create_communicator
