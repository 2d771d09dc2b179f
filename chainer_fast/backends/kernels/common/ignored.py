"""The label to ignore, which may be any number, or None for no label."""
from __future__ import annotations

import functools
import inspect
import numbers
import typing as tp

import numpy

# A label that no data has: it is neither a class nor counts from the end.
_NOBODYS = -2 ** 63
# NumPy converts labels to doubles for a comparison with one; doubles represent all
# integers up to this.
_EXACT = 2 ** 53


def as_integer(ignore_label: tp.Any) -> tp.Any:
    """Return the label of 64 bits that equals what a function was given.

    Parameters
    ----------
    ignore_label : object

    Returns
    -------
    int, None or NotImplemented
        None if no label equals it, such as NaN, a fraction, an integer of more bits, or
        None itself. NotImplemented for objects that are not numbers of Python or NumPy,
        such as an array, which must be compared with the labels.
    """
    if ignore_label is None:
        return None
    if isinstance(ignore_label, (bool, numpy.bool_, numbers.Integral)):
        value = int(ignore_label)
        return value if -2 ** 63 <= value < 2 ** 63 else None
    if isinstance(ignore_label, (float, numpy.floating)):
        value = float(ignore_label)
        if not value.is_integer() or abs(value) >= 2. ** 64:
            return None
        return int(value) if abs(value) <= _EXACT else NotImplemented
    return NotImplemented


def on_device(form: tp.Callable[..., tp.Any]) -> tp.Callable[..., tp.Any]:
    """Decorate a form for a GPU, whose argument ``ignore_label`` becomes an integer.

    It is not called for a label that is no number.
    """
    place = list(inspect.signature(form).parameters).index('ignore_label')

    @functools.wraps(form)
    def of_integer(*args: tp.Any) -> tp.Any:
        value = as_integer(args[place])
        if value is NotImplemented:
            return NotImplemented
        value = _NOBODYS if value is None else value
        return form(*args[:place], value, *args[place + 1:])

    return of_integer
