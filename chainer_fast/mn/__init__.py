"""Training on many processes and machines: the package ``chainermn`` of Chainer.

Importing it needs no MPI. Communicators need mpi4py and an MPI library: see
:func:`chainer_fast.mn.create_communicator`.
"""
