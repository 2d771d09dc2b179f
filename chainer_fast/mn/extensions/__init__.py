"""Extensions of trainers of many processes."""
from chainer_fast.mn.extensions._multi_node_snapshot import (
    multi_node_snapshot as multi_node_snapshot,
)
from chainer_fast.mn.extensions.allreduce_persistent import (
    AllreducePersistent as AllreducePersistent,
)
from chainer_fast.mn.extensions.checkpoint import (
    create_multi_node_checkpointer as create_multi_node_checkpointer,
)
from chainer_fast.mn.extensions.multi_node_early_stopping_trigger import (
    MultiNodeEarlyStoppingTrigger as MultiNodeEarlyStoppingTrigger,
)
from chainer_fast.mn.extensions.multi_node_evaluator import (
    GenericMultiNodeEvaluator as GenericMultiNodeEvaluator,
    create_multi_node_evaluator as create_multi_node_evaluator,
)
from chainer_fast.mn.extensions.observation_aggregator import (
    ObservationAggregator as ObservationAggregator,
)
