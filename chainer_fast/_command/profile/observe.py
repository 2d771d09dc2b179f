"""The methods that a profile puts in place of those of functions, links and kernels."""
import functools
import typing as tp
from time import perf_counter_ns

from chainer_fast import function_node, link
from chainer_fast._command.profile import reasons, records
from chainer_fast._core import backprop, graph, observed, update
from chainer_fast.backends import kernels
from chainer_fast.backends._onednn import library

_plain_apply = function_node.FunctionNode.apply
_plain_backprop_step = backprop.backprop_step
_plain_call_kernel: tp.Any = kernels.Kernel.__call__
_plain_call_link = link.Link.__call__
_plain_update_params = update.update_params

# The profile that is taken, or None, and what to do at its end.
_profile: tp.Any = None
_undo = []


def start(profile):
    """Let a profile see everything that happens from now on.

    Parameters
    ----------
    profile : records.Profile
    """
    global _profile
    _profile = profile
    library.count(True)
    _replace(function_node.FunctionNode, 'apply', _apply)
    _replace(link.Link, '__call__', _call_link)
    _replace(kernels.Kernel, '__call__', _call_kernel)
    _replace(backprop, 'backprop_step', _backprop_step)
    _replace(update, 'update_params', _update_params)
    # Registered after the replacements, the shortcuts take these for the methods that
    # the classes should have.
    for cls in graph.classes_with_shortcuts():
        shortcut, _ = graph.registered(cls)
        _undo.insert(0, functools.partial(graph.declare, cls, shortcut))
        graph.declare(
            cls, observed.ObservedShortcut(shortcut, _note_forward, _note_backward))


def stop():
    """Put everything back."""
    global _profile
    for undo in reversed(_undo):
        undo()
    _undo.clear()
    library.count(False)
    _profile = None


def _replace(place, name, new):
    if name in vars(place):
        _undo.append(functools.partial(setattr, place, name, vars(place)[name]))
    else:
        _undo.append(functools.partial(delattr, place, name))
    setattr(place, name, new)


# Functions
#

def _size(variables):
    return sum(getattr(variable.array, 'nbytes', 0) for variable in variables)


def _apply(self, inputs):
    thread = _profile.here()
    if thread.frame is not None:
        return _plain_apply(self, inputs)
    frame = thread.frame = records.Frame(self)
    begin = perf_counter_ns()
    try:
        outputs = _plain_apply(self, inputs)
    finally:
        thread.frame = None
    elapsed = perf_counter_ns() - begin
    if frame.served:
        forms, why = {'shortcut'}, ()
    else:
        forms, why = frame.forms, frame.reasons + reasons.of_forward(frame, inputs)
    thread.add(self, 'forward', elapsed, forms, why, _size(outputs))
    return outputs


def _note_forward(function, array, elapsed):
    thread = _profile.here()
    frame = thread.frame
    if frame is None:
        # An operator of a variable. If the shortcut has declined, the function comes
        # again, by its method ``apply``.
        if array is not None:
            thread.add(function, 'forward', elapsed, {'shortcut'}, (), array.nbytes)
    elif frame.function is function:
        frame.served = array is not None
        frame.declined = array is None


def _note_backward(function, served, elapsed):
    thread = _profile.here()
    if thread.frame is not None:
        return
    if served:
        thread.add(function, 'backward', elapsed, {'shortcut'}, ())
    thread.declined = None if served else function


def _backprop_step(function, target_input_indexes, grad_outputs, grad_inputs, is_debug):
    arguments = (
        function, target_input_indexes, grad_outputs, grad_inputs, is_debug)
    thread = _profile.here()
    if thread.frame is not None:
        return _plain_backprop_step(*arguments)
    frame = thread.frame = records.Frame(function)
    frame.declined = thread.declined is function
    thread.declined = None
    begin = perf_counter_ns()
    try:
        _plain_backprop_step(*arguments)
    finally:
        thread.frame = None
    elapsed = perf_counter_ns() - begin
    thread.add(function, 'backward', elapsed, frame.forms,
               frame.reasons + reasons.of_backward(frame, grad_outputs))


# Kernels
#

class _NotingKernel:
    """Stands for a kernel in its method ``__call__``, and notes which form runs."""

    def __init__(self, kernel, frame):
        self._kernel, self._frame = kernel, frame
        self.compiled = kernel.compiled and functools.partial(
            self._try, 'compiled', kernel.compiled)
        self.device = kernel.device and functools.partial(
            self._try, 'CUDA', kernel.device)

    def _try(self, name, form, *args):
        result = form(*args)
        if result is NotImplemented:
            self._frame.reasons.append(reasons.of_kernel(self._kernel, args))
        else:
            self._frame.forms.add(name)
        return result

    def reference(self, *args):
        self._frame.forms.add(reasons.array_module(args))
        return self._kernel.reference(*args)


def _call_kernel(self, x, *args):
    frame = _profile.here().frame
    kernel = self if frame is None else _NotingKernel(self, frame)
    return _plain_call_kernel(kernel, x, *args)


# Links and optimizers
#

def _call_link(self, *args, **kwargs):
    thread = _profile.here()
    if thread.frame is not None:
        return _plain_call_link(self, *args, **kwargs)
    outer = thread.path
    kind = type(self).__name__
    thread.path = path = (*outer, getattr(self, 'name', None) or kind)
    row = thread.links.get(path)
    if row is None:
        row = thread.links[path] = records.LinkRow(kind)
    begin = perf_counter_ns()
    try:
        return _plain_call_link(self, *args, **kwargs)
    finally:
        thread.path = outer
        row.calls += 1
        row.forward += perf_counter_ns() - begin


def _update_params(*args):
    begin = perf_counter_ns()
    try:
        return _plain_update_params(*args)
    finally:
        _profile.updates.append(perf_counter_ns() - begin)
