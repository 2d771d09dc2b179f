"""Links that compute with other processes."""
from chainer_fast.mn.links.batch_normalization import MultiNodeBatchNormalization
from chainer_fast.mn.links.create_mnbn_model import create_mnbn_model
from chainer_fast.mn.links.multi_node_chain_list import MultiNodeChainList
from chainer_fast.mn.links.n_step_rnn import create_multi_node_n_step_rnn

__all__ = [
    'MultiNodeBatchNormalization', 'MultiNodeChainList', 'create_mnbn_model',
    'create_multi_node_n_step_rnn',
]
