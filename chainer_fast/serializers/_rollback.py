"""Restoring the state of objects after loading has failed.

Objects load themselves: their ``serialize`` methods, including users' own, fill arrays,
assign attributes and may use what they have just loaded. So loading cannot be deferred
to the end; instead, old values are recorded beforehand. Arrays are recorded just before
they are filled, since they are large; attributes and plain containers of all reachable
objects are recorded at the start.
"""
import collections
import functools
import types

import numpy

from chainer_fast import backend, variable
from chainer_fast.backends import cuda

# A container with more items contains data, such as examples, rather than parts of an
# object.
_MANY = 10000

_PACKAGE = __name__.partition('.')[0]
_CONTAINERS = dict, list, set, collections.deque
# Types without parts, or without parts that a snapshot could change.
_LEAVES = (
    str, bytes, bytearray, int, float, complex, type(None), type, numpy.ndarray,
    numpy.generic, numpy.dtype, cuda.ndarray, types.ModuleType, types.FunctionType,
    types.BuiltinFunctionType, types.MethodType, functools.partial)
_ABSENT = object()


class Journal:
    """Record of a state that can be restored."""

    def __init__(self):
        self._notes = []
        self._seen = set()

    def add(self, root):
        """Record the attributes of an object and of all its parts.

        Parts are found in attributes and containers: objects with a method
        ``serialize``, instances of this package's classes, and instances of classes
        from the same package as their owner's class.
        """
        stack = [(root, None)]
        seen, notes = self._seen, self._notes
        while stack:
            obj, package = stack.pop()
            kind = type(obj)
            if issubclass(kind, _LEAVES) or id(obj) in seen or getattr(
                    kind, '_changes_by_itself', False):     # in another thread
                continue
            seen.add(id(obj))
            if issubclass(kind, _CONTAINERS):
                if len(obj) > _MANY:
                    continue
                base = next(base for base in _CONTAINERS if issubclass(kind, base))
                notes.append((_restore_container, obj, base(obj)))
                items = obj.values() if base is dict else obj
                stack.extend([(item, package) for item in items])
            elif issubclass(kind, tuple):
                stack.extend([(item, package) for item in obj])
            elif kind is numpy.random.RandomState:
                notes.append((_restore_random_state, obj, obj.get_state(legacy=False)))
            if obj is root or _is_part(kind, package):
                self._add_attributes(obj, kind, stack)

    def _add_attributes(self, obj, kind, stack):
        package = kind.__module__.partition('.')[0]
        if issubclass(kind, variable.Variable):
            self._notes.append((_restore_variable, obj, _state_of_variable(obj)))
        attributes = getattr(obj, '__dict__', None)
        if isinstance(attributes, dict):
            self._notes.append((_restore_attributes, obj, dict(attributes)))
            stack.extend([(value, package) for value in attributes.values()])
        slots = {name: getattr(obj, name, _ABSENT) for name in _slots(kind)}
        if slots:
            self._notes.append((_restore_slots, obj, slots))
            stack.extend([(value, package) for value in slots.values()])

    def note_array(self, array):
        """Record the elements of an array that is about to be filled."""
        # The memory of a device is scarce.
        on_device = isinstance(array, cuda.ndarray)
        old = cuda.to_cpu(array) if on_device else array.copy()
        self._notes.append((backend.copyto, array, old))

    def undo(self):
        """Restore everything, the latest changes first."""
        while self._notes:
            restore, target, old = self._notes.pop()
            restore(target, old)


def _is_part(kind, package):
    own = kind.__module__.partition('.')[0]
    return (own in (_PACKAGE, package) or callable(getattr(kind, 'serialize', None))
            or kind is types.SimpleNamespace)


@functools.lru_cache(maxsize=1024)
def _slots(kind):
    """Return the names of the attributes that are slots of the instances."""
    return tuple([
        name for base in kind.__mro__ for name, member in vars(base).items()
        if isinstance(member, types.MemberDescriptorType)
        and '__slots__' in vars(base)])


def _state_of_variable(var):
    return var.raw_array, var._grad, var._grad_valid, var._cached_device


def _restore_variable(var, state):
    array, grad, grad_valid, device = state
    if var.raw_array is array:
        return
    var._set_array(array, layout_check=False)
    var._set_grad_without_check(grad)
    var._grad_valid = grad_valid
    var._cached_device = device


def _restore_random_state(generator, state):
    generator.set_state(state)


def _restore_attributes(obj, old):
    _restore_dict(obj.__dict__, old)


def _restore_slots(obj, old):
    for name, value in old.items():
        if value is _ABSENT:
            if hasattr(obj, name):
                object.__delattr__(obj, name)
        elif getattr(obj, name, _ABSENT) is not value:
            object.__setattr__(obj, name, value)


def _restore_container(container, old):
    if isinstance(container, dict):
        _restore_dict(container, old)
    elif isinstance(container, set):
        if container != old:
            container.clear()
            container.update(old)
    elif not _same_items(container, old):
        container.clear()
        container.extend(old)


def _restore_dict(current, old):
    if not (_same_items(current, old)
            and _same_items(current.values(), old.values())):
        current.clear()
        current.update(old)


def _same_items(one, other):
    return len(one) == len(other) and all(map(_is_same, one, other))


def _is_same(one, other):
    return one is other
