"""Backpropagation from several variables at once."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from chainer_fast import configuration
from chainer_fast import variable as _variable
from chainer_fast._core import kinds
from chainer_fast._core.backward import backprop as _backprop_core
from chainer_fast._help import mistakes
from chainer_fast.function_node import _check_partners, _check_sequence
from chainer_fast.utils import argument
from chainer_fast.variable import Variable

_backprop_to_all = _backprop_core.backprop_to_all


def backward(
        outputs: tuple[Any, ...] | Sequence[Variable],
        grad_outputs: Sequence[Variable | None] | None = None,
        **kwargs: Any) -> None:
    """Propagate gradients from several variables at once.

    Each function is differentiated once, even if several outputs depend on it. Unlike
    :meth:`chainer_fast.Variable.backward`, no default gradients are set. The gradients
    of the outputs are cleared once they have been read.

    Parameters
    ----------
    outputs : tuple or list of Variable
        Variables at which backpropagation starts.
    grad_outputs : tuple or list of Variable or None, optional
        Gradients of the outputs. By default the gradients that the outputs have.
    enable_double_backprop : bool
        Whether the gradients can be differentiated again.

    Raises
    ------
    TypeError
        If an argument is not a tuple or a list of variables.
    ValueError
        If lengths differ, or ``retain_grad`` or ``loss_scale`` is given.

    Warns
    -----
    RuntimeWarning
        If an output has no gradient, or occurs twice and ``grad_outputs`` is not given.

    See Also
    --------
    chainer_fast.grad
    chainer_fast.Variable.backward

    Examples
    --------
    >>> x = chainer.Variable(np.array([1, 2], np.float32))
    >>> y, z = x * 2, x * 3
    >>> y.grad = z.grad = np.ones(2, np.float32)
    >>> chainer.backward([y, z])
    >>> x.grad
    array([5., 5.], dtype=float32)
    """
    enable_double_backprop = kwargs.pop('enable_double_backprop', False)
    retain_grad = kwargs.pop('retain_grad', False)
    loss_scale = kwargs.pop('loss_scale', None)
    if retain_grad:
        raise ValueError(
            'semantics for retain_grad=True is under discussion: call backward of '
            'the variables')
    if loss_scale is not None:
        raise ValueError(
            'chainer.backward does not support loss_scale option: scale grad_outputs')
    if kwargs:
        raise argument.unexpected(
            'backward', kwargs,
            ('enable_double_backprop', 'retain_grad', 'loss_scale'))
    _check_sequence('outputs', outputs)
    for y in outputs:
        if not isinstance(y, _variable.Variable):
            raise TypeError('each output must be a Variable, not %s' % type(y))
    if any([y._has_wrapper for y in outputs]):
        kinds.of_wrappers.backward_all(outputs, grad_outputs, enable_double_backprop)
        return
    if grad_outputs is None:
        gradients = [y.grad_var for y in outputs]
        if any(g is None for g in gradients) or len(outputs) > len(
                {id(y) for y in outputs}):
            warnings.warn(
                'outputs contains a Variable without grad, or duplicate outputs. '
                'Note that chainer.backward does not set default grad.',
                RuntimeWarning, stacklevel=2)
        pairs = {id(y): (y.node, g) for y, g in zip(outputs, gradients, strict=True)
                 if g is not None}.values()
    else:
        gradients = _check_partners('grad_outputs', grad_outputs, 'outputs', outputs)
        pairs = [(y.node, g) for y, g in zip(outputs, gradients, strict=True)
                 if g is not None]
    taken = []
    if grad_outputs is None:
        for y in outputs:
            taken.append(_backprop_core.taken_from(y))
            y.cleargrad()
    try:
        with configuration.using_config('enable_backprop', enable_double_backprop):
            _backprop_to_all(pairs, False, None)
    except BaseException as error:
        _backprop_core.put_back(taken)
        mistakes.explain_backward(error)
        raise
