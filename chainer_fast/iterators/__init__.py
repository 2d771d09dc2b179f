"""Iterators over data sets."""
from chainer_fast.iterators import _statemachine, order_samplers, serial_iterator
from chainer_fast.iterators.order_samplers import OrderSampler, ShuffleOrderSampler
from chainer_fast.iterators.serial_iterator import SerialIterator
