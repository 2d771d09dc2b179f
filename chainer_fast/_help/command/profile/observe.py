"""Replacements of methods of functions, links and kernels while a profile is taken."""
import functools
from time import perf_counter_ns
from typing import Any

from chainer_fast import function_node, link
from chainer_fast._core.backward import backprop
from chainer_fast._core.graphs import graph
from chainer_fast._help.command.profile import loop, reasons, records, replacing
from chainer_fast.backends import kernels
from chainer_fast.backends._onednn import library

_plain_apply = function_node.FunctionNode.apply
_plain_backprop_step = backprop.backprop_step
_plain_call_kernel: Any = kernels.Kernel.__call__
_plain_call_link = link.Link.__call__

# The running profile, or None.
_profile: Any = None
_replacements = replacing.Replacements()


def start(profile):
    """Record everything that happens from now on in a profile.

    Parameters
    ----------
    profile : records.Profile
    """
    global _profile
    _profile = profile
    library.count(True)
    replace = _replacements.set
    replace(function_node.FunctionNode, 'apply', _apply)
    replace(link.Link, '__call__', _call_link)
    replace(kernels.Kernel, '__call__', _call_kernel)
    replace(backprop, 'backprop_step', _backprop_step)
    loop.watch(profile, replace)
    # As they are registered after the replacements, the shortcuts regard these as the
    # classes' own methods.
    for cls in graph.classes_with_shortcuts():
        shortcut, _ = graph.registered(cls)
        _replacements.finish_with(functools.partial(graph.declare, cls, shortcut))
        graph.declare(
            cls, graph.ObservedShortcut(shortcut, _note_forward, _note_backward))
    profile.start()     # that took a tenth of a second


def stop():
    """Restore all methods."""
    global _profile
    _replacements.undo()
    library.count(False)
    _profile = None


# Functions
#

def _size(variables):
    return sum(getattr(variable.array, 'nbytes', 0) for variable in variables)


def _apply(self, inputs):
    thread = _profile.here()
    if thread.frame is not None:
        return _plain_apply(self, inputs)
    frame = thread.frame = records.Frame(self)
    with thread.spans.forward():
        begin = perf_counter_ns()
        try:
            outputs = _plain_apply(self, inputs)
        finally:
            thread.frame = None
        end = perf_counter_ns()
    if frame.served:
        forms, why = {'shortcut'}, ()
    else:
        forms, why = frame.forms, frame.reasons + reasons.of_forward(frame, inputs)
    thread.see(outputs[0].array)
    thread.add(self, 'forward', begin, end, forms, why, _size(outputs))
    return outputs


def _note_forward(function, array, elapsed):
    thread = _profile.here()
    frame = thread.frame
    if frame is None:
        # An operator of a variable. If the shortcut declines, the function is called
        # again, through its method ``apply``.
        if array is not None:
            end = perf_counter_ns()
            thread.see(array)
            thread.spans.past(end - elapsed, end)
            thread.add(function, 'forward', end - elapsed, end, {'shortcut'}, (),
                       array.nbytes)
    elif frame.function is function:
        frame.served = array is not None
        frame.declined = array is None


def _note_backward(function, served, elapsed):
    thread = _profile.here()
    if thread.frame is not None:
        return
    if served:
        end = perf_counter_ns()
        thread.add(function, 'backward', end - elapsed, end, {'shortcut'}, ())
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
    thread.add(function, 'backward', begin, perf_counter_ns(), frame.forms,
               frame.reasons + reasons.of_backward(frame, grad_outputs))


# Kernels
#

class _NotingKernel:
    """Replaces a kernel in its method ``__call__``, and records which form runs."""

    def __init__(self, kernel, frame):
        self._kernel, self._frame = kernel, frame
        self.in_single = kernel.in_single
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


# Links
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
    with thread.spans.forward():
        begin = perf_counter_ns()
        try:
            return _plain_call_link(self, *args, **kwargs)
        finally:
            end = perf_counter_ns()
            thread.path = outer
            row.calls += 1
            row.forward += end - begin
            thread.spans.note(path[-1], 'link', begin, end)
