"""The operators, one family per module."""
from chainer_fast.onnx._load.operators import (
    activation,
    arithmetic,
    connection,
    constants,
    images,
    indexing,
    logic,
    loss,
    normalization,
    pooling,
    recurrent,
    reduction,
    shape,
)
