"""Iterators over data sets."""
from chainer_fast.iterators import (
    _statemachine,
    dali_iterator as dali_iterator,
    multiprocess_iterator as multiprocess_iterator,
    multithread_iterator as multithread_iterator,
    order_samplers as order_samplers,
    serial_iterator as serial_iterator,
)
from chainer_fast.iterators.dali_iterator import DaliIterator as DaliIterator
from chainer_fast.iterators.multiprocess_iterator import (
    MultiprocessIterator as MultiprocessIterator,
)
from chainer_fast.iterators.multithread_iterator import (
    MultithreadIterator as MultithreadIterator,
)
from chainer_fast.iterators.order_samplers import (
    OrderSampler as OrderSampler,
    ShuffleOrderSampler as ShuffleOrderSampler,
)
from chainer_fast.iterators.serial_iterator import SerialIterator as SerialIterator
