"""Compiled forms of arrays in C order, for arrays that lie in memory otherwise.

A copy takes a fraction of what the reference takes, which makes several.
"""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast.backends.kernels.common import layout

Form = tp.Callable[..., tp.Any]


def _is_strided(array):
    return type(array) is numpy.ndarray and not array.flags.c_contiguous


def in_c_order(form: Form) -> Form:
    """Return a form that is called with copies if it does not take the arrays.

    Results are in C order then, as those of the reference are for arrays whose strides
    fall.

    Parameters
    ----------
    form : callable
        Takes arrays and other things; returns ``NotImplemented`` for arrays with gaps.
    """
    @functools.wraps(form)
    def copied(*args):
        found = form(*args)
        if found is not NotImplemented or not any(map(_is_strided, args)):
            return found
        return form(*[
            layout.copied(each) if _is_strided(each) else each for each in args])
    return copied


def in_order_of_results(form: Form) -> Form:
    """Return a form that takes arrays of other orders, whose results are in NumPy's.

    That is the order of the arrays if it is the same one, or else C order if some array
    has it.

    Parameters
    ----------
    form : callable
        Takes arrays of one shape or without axes; returns ``NotImplemented`` if they
        are not in C order.
    """
    @functools.wraps(form)
    def ordered(*arrays):
        found = form(*arrays)
        if found is not NotImplemented or not all([
                type(each) is numpy.ndarray for each in arrays]):
            return found
        whole = [each for each in arrays if each.ndim]
        if len({each.shape for each in whole}) != 1:
            return NotImplemented
        if all([each.flags.f_contiguous for each in whole]):
            found = form(*[each.T for each in arrays])
            return found if found is NotImplemented else found.T
        if not any([each.flags.c_contiguous for each in whole]):
            return NotImplemented
        return form(*[
            layout.copied(each) if _is_strided(each) else each for each in arrays])
    return ordered


def of_channels(form: Form) -> Form:
    """Return a form for images with the channels last as well, and else with copies.

    Parameters
    ----------
    form : callable
        Takes an array, a parameter with its axes from the second on, or the first few
        of these, and further arrays of the shape of the first. It returns an array of
        that shape, or a tuple of such and one of the parameter's.
    """
    copied = in_c_order(form)

    @functools.wraps(form)
    def moved(x, parameter, *others):
        found = form(x, parameter, *others)
        if found is not NotImplemented or not _are_channels_last(x, parameter, others):
            return found if found is not NotImplemented else copied(
                x, parameter, *others)
        shape = x.shape[:1] + x.shape[2:] + x.shape[1:2]
        rows = [numpy.moveaxis(each, 1, -1).reshape(-1, shape[-1])
                for each in (x, *others)]
        found = form(rows[0], parameter, *rows[1:])
        if found is NotImplemented:
            return found
        first, *rest = found if isinstance(found, tuple) else (found,)
        first = numpy.moveaxis(first.reshape(shape), -1, 1)
        return (first, *rest) if rest else first
    return moved


def _are_channels_last(x, parameter, others):
    """Whether a parameter is of the channels of an image that are last in memory."""
    return (type(x) is type(parameter) is numpy.ndarray and parameter.ndim == 1
            and x.ndim > 2 and x.size and all([
                type(each) is numpy.ndarray and each.shape == x.shape
                for each in others])
            and numpy.moveaxis(x, 1, -1).flags.c_contiguous)
