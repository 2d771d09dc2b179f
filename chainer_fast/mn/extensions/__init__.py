"""Extensions of trainers of many processes."""
from chainer_fast.mn.extensions._multi_node_snapshot import multi_node_snapshot
from chainer_fast.mn.extensions.checkpoint import create_multi_node_checkpointer
