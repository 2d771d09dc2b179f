"""Models whose batch normalization spans all processes."""
from __future__ import annotations

import copy

from chainer_fast.link import Link
from chainer_fast.links.normalization.batch_normalization import BatchNormalization
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.links.batch_normalization import MultiNodeBatchNormalization


def create_mnbn_model(
        link: Link, comm: CommunicatorBase,
        communication_backend: str = 'auto') -> Link:
    """Copy a model with batch normalization over all processes.

    Parameters
    ----------
    link : Link
        The model, which is not changed. Each of its links that is a
        :class:`chainer_fast.links.BatchNormalization`, at any depth, is a
        :class:`chainer_fast.mn.links.MultiNodeBatchNormalization` in the copy, with
        copies of its parameters and averages. Everything else in the model is copied,
        too, and objects that two of its links share are shared by their copies.
    comm : CommunicatorBase
        The processes.
    communication_backend : {'auto', 'mpi', 'nccl'}
        Library that computes the sums of batch normalization.

    Returns
    -------
    Link
        The copy.

    Raises
    ------
    ValueError
        If the size of a batch normalization is not known yet, or if the
        communicator does not support the backend.

    Examples
    --------
    ::

        model = chainermn.links.create_mnbn_model(model, comm)
    """
    if not isinstance(link, Link):
        return link
    # Objects in the memo count as copied already.
    memo = {id(comm): comm}
    for name, each in link.namedlinks():
        if isinstance(each, BatchNormalization):
            memo[id(each)] = _multi_node(
                each, name, comm, communication_backend, memo)
    return copy.deepcopy(link, memo)


def _multi_node(link, name, comm, communication_backend, memo):
    """Return a copy of a batch normalization that spans all processes."""
    if link.avg_mean is None:
        raise ValueError(
            'the size of the batch normalization %s is not known yet: pass size, or '
            'call the model before create_mnbn_model()' % (name,))
    new = MultiNodeBatchNormalization(
        link.avg_mean.shape, comm, link.decay, link.eps, link.avg_mean.dtype,
        link.gamma is not None, link.beta is not None,
        communication_backend=communication_backend)
    new.to_device(link.device)
    new.name = link.name
    new._axis = link.axis
    for attribute in ('avg_mean', 'avg_var', 'N', 'gamma', 'beta'):
        setattr(new, attribute, copy.deepcopy(getattr(link, attribute), memo))
    return new
