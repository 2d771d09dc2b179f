"""Details of errors for examples that cannot be stacked."""
from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any


def explain(
        error: Exception, batch: Sequence[Any], key: Any = None) -> None:
    """Add to the message of an exception which examples differ, and how.

    Parameters
    ----------
    error : Exception
        The exception raised by stacking.
    batch : sequence
        The examples.
    key : int or str, optional
        Which of their elements was stacked; by default the examples themselves.
    """
    words = None
    # Examples of other structures do not have these elements.
    with contextlib.suppress(LookupError, TypeError):
        words = _number_of_elements(batch) if isinstance(key, int) else None
        words = words or _shapes(batch, key)
    if words is not None:
        error.args = ('%s: %s' % (error, words),)


def _number_of_elements(batch):
    first = len(batch[0])
    for i, example in enumerate(batch):
        count = len(example)
        if count != first:
            return 'example %d has %d element%s, but example 0 has %d' % (
                i, count, '' if count == 1 else 's', first)
    return None


def _shapes(batch, key):
    whose = '' if key is None else 'element %r of ' % (key,)
    values = batch if key is None else [example[key] for example in batch]
    kind, first = _size(values[0])
    for i, value in enumerate(values):
        size = _size(value)
        if size != (kind, first):
            return (
                '%sexample %d has the %s %s, but %sexample 0 has %s; pass padding= to '
                'concat_examples (in an updater: converter=lambda batch, '
                'device: concat_examples(batch, device, padding=0)), or make them equal'
                % (whose, i, *size, whose, first))
    return None


def _size(value):
    """Return the name of a size, and the size."""
    if isinstance(value, (list, tuple)):
        return 'length', len(value)
    return 'shape', getattr(value, 'shape', ())
