"""Positions of iterators, which were plain attributes up to version 5.

Programs derive iterators that count themselves: they set ``current_position``,
``epoch`` and ``is_new_epoch``, and read, set or shuffle ``_order``.
"""
from chainer_fast.iterators import MultiprocessIterator
from chainer_fast.iterators._ordered_iterator import OrderedIterator
from chainer_fast.iterators._statemachine import IteratorState
from chainer_fast.legacy import _report

_SET = 'positions of iterators that a program sets'
_ORDER = 'chainer.iterators.SerialIterator._order'


def _settable(name):
    """Return a property for a part of the position that can be set."""
    today = vars(OrderedIterator)[name]

    def put(self, value):
        _report.adapted(_SET)
        self._state = self._state._replace(**{name: value})
    return property(today.fget, put, doc=today.__doc__)


def _get_order(self):
    """Return the order of the examples, the array itself; None if there is none."""
    _report.adapted(_ORDER)
    return self._state.order


def _put_order(self, order):
    _report.adapted(_ORDER)
    self._state = self._state._replace(order=order)
    if order is not None and self.order_sampler is None:
        # Every iterator with an order was shuffled at the end of an epoch.
        self._set_order(True, None)


def _put_detail(self, value):
    _report.adapted(_SET)
    self._previous_epoch_detail = -1. if value is None else value


def _renamed(name):
    """Return a property for an attribute that has been renamed."""
    def put(self, value):
        setattr(self, name, value)
    return property(lambda self: getattr(self, name), put)


def install(patches):
    """Let positions be set, even by iterators that do not call the constructor."""
    for name in ('current_position', 'epoch', 'is_new_epoch'):
        patches.set(OrderedIterator, name, _settable(name))
    detail = vars(OrderedIterator)['previous_epoch_detail']
    patches.set(OrderedIterator, 'previous_epoch_detail',
                property(detail.fget, _put_detail, doc=detail.__doc__))
    patches.set(OrderedIterator, '_order', property(_get_order, _put_order))
    for name, value in ('_state', IteratorState(0, 0, False, None)), (
            '_previous_epoch_detail', -1.), ('order_sampler', None), (
            '_repeat', True), ('_shuffle', None):
        patches.set(OrderedIterator, name, value)
    for name in ('repeat', 'shuffle'):
        patches.set(MultiprocessIterator, '_' + name, _renamed(name))
