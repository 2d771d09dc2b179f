"""Iterators over data sets."""
from chainer_fast.iterators import (
    _statemachine,
    dali_iterator,
    multiprocess_iterator,
    multithread_iterator,
    order_samplers,
    serial_iterator,
)
from chainer_fast.iterators.dali_iterator import DaliIterator
from chainer_fast.iterators.multiprocess_iterator import MultiprocessIterator
from chainer_fast.iterators.multithread_iterator import MultithreadIterator
from chainer_fast.iterators.order_samplers import OrderSampler, ShuffleOrderSampler
from chainer_fast.iterators.serial_iterator import SerialIterator
