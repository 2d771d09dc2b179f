# Programs access these modules through the package, and no function imports them.
from chainer_fast.functions.pooling import (
    average_pooling_nd_kernel as average_pooling_nd_kernel,
    max_pooling_nd_kernel as max_pooling_nd_kernel,
    pooling_nd_kernel as pooling_nd_kernel,
)
