"""The position of an iterator in its data set, as a value and a step function."""
import collections
import numbers

import numpy

from chainer_fast import _numbers
from chainer_fast._help import mistakes

IteratorState = collections.namedtuple(
    'IteratorState', ('current_position', 'epoch', 'is_new_epoch', 'order'))
"""``order`` is ``None`` if the examples are in the order of the data set."""


class NoExamples(ValueError, ZeroDivisionError):
    """There are no examples.

    Chainer divides by their number, and programs may catch that error.
    """

    def __init__(self, message=(
            'there are no examples, so an epoch cannot be repeated: the data set is '
            'empty; check from which files, or by which condition, it is made')):
        super().__init__(message)


AN_ITERATOR = (
    'an iterator must be a chainer.dataset.Iterator, which has next() and '
    'epoch_detail, such as SerialIterator(dataset, batch_size)')


def part_of_epoch(iterator, name):
    """Return an attribute of an iterator that divides by the number of examples."""
    try:
        return getattr(iterator, name)
    except AttributeError:
        mistakes.require(iterator, 'next', AN_ITERATOR)
        raise
    except NoExamples:
        raise
    except ZeroDivisionError as error:
        raise NoExamples('a %s has no examples: %s of %s' % (
            type(iterator).__name__, error, name)) from error


def iterator_statemachine(state, batch_size, repeat, order_sampler, dataset_len):
    """Advance by one batch.

    Parameters
    ----------
    state : IteratorState
        The position before the batch.
    batch_size : int
        Number of examples in the batch, possibly more than an epoch.
    repeat : bool
        Whether a batch continues in the next epoch when one ends. If not, the
        last batch is shorter, and none follows the first epoch.
    order_sampler : callable or None
        Returns the next order whenever an epoch ends.
    dataset_len : int
        Number of examples, used if there is no order.

    Returns
    -------
    state : IteratorState
        The position after the batch.
    indices : numpy.ndarray of int, or None
        The examples of the batch, ``None`` at the end.
    """
    position, epoch, _, order = state
    if not repeat and epoch > 0:
        return state, None

    epoch_size = dataset_len if order is None else len(order)
    if repeat and not epoch_size:
        raise NoExamples
    batch_size = _numbers.plain(batch_size)
    if not isinstance(batch_size, (int, numbers.Real)):
        raise TypeError('batch_size must be an integer, but is %r' % (batch_size,))
    stop = position + batch_size
    if stop < epoch_size:
        indices = _take(order, position, stop)
        return IteratorState(stop, epoch, False, order), indices

    parts = [_take(order, position, epoch_size)]
    if repeat:
        laps, stop = int(stop // epoch_size), stop % epoch_size
    else:
        laps, stop = 1, 0
    for lap in range(laps):
        if order is not None:
            try:
                new_order = order_sampler(order, position)
            except StopIteration as error:  # it would end the loop over the iterator
                raise RuntimeError('the order sampler raised StopIteration') from error
            if len(new_order) != len(order):
                raise ValueError(
                    'the order sampler changed the size of an epoch from %d to %d; the '
                    'size must be that of the previous order'
                    % (len(order), len(new_order)))
            order = new_order
        position = 0
        parts.append(_take(order, 0, epoch_size if lap < laps - 1 else stop))
    return IteratorState(stop, epoch + laps, True, order), numpy.concatenate(parts)


def _take(order, start, stop):
    if order is None:
        # The size of a batch may be a float.
        return numpy.arange(start, stop, dtype=numpy.int_)
    # Samplers may return lists; an empty slice of one would become an array of floats.
    return numpy.asarray(order[start:stop], dtype=numpy.int_)
