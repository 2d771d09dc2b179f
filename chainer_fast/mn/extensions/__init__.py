"""Extensions of the trainer for many processes."""
from chainer_fast.mn.extensions.allreduce_persistent import AllreducePersistent
from chainer_fast.mn.extensions.multi_node_early_stopping_trigger import (
    MultiNodeEarlyStoppingTrigger,
)
from chainer_fast.mn.extensions.multi_node_evaluator import (
    GenericMultiNodeEvaluator,
    create_multi_node_evaluator,
)
from chainer_fast.mn.extensions.observation_aggregator import ObservationAggregator
