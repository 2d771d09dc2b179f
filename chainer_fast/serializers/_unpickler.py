"""An unpickler that makes only known objects, and those that its user names."""
import functools
import inspect
import pickle
import struct
import types
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import _backend
from chainer_fast.backends import cuda
from chainer_fast.serializers import (
    _announced,
    _class_paths,
    _old_states,
    _reconstructors,
)

_WRITERS = 'chainer_fast.training.extensions.snapshot_writers'


class ClassOnly:
    """A class of Chainer in a pickle, which can only be instantiated.

    As a value, it could be called, which would run its constructor.
    """

    def __init__(self, cls):
        object.__setattr__(self, '_cls', cls)

    def __getattr__(self, name):
        path = '%s.%s' % (self._cls.__module__, self._cls.__name__)
        raise AttributeError(
            'the pickle contains the class %s itself: to use it, pass allow=(%r,) to '
            'load_pickle' % (path, path))


class WritesOrReads:
    """A function of a pickle that works with files, which the pickle cannot call.

    As an attribute of an arbitrary object it might be called while the pickle is
    read, or when the object is deleted. Snapshot writers get the function itself.
    """

    def __init__(self, function):
        self.function = function

    def __repr__(self):
        path = self.function.__module__ + '.' + self.function.__name__
        return '%s (if you trust the file, pass allow=(%r,) to load_pickle)' % (
            path, path)

    def __call__(self, *args, **kwargs):
        raise TypeError('the pickle contains the function %r' % self)


class Unpickler(pickle._Unpickler):
    """Reads pickles of Chainer 1 to 7, and of this package.

    The C implementation does not let subclasses control calls, so this class derives
    from the Python implementation.

    Parameters
    ----------
    file : file
        The pickle.
    name : str
        Name of the file for errors.
    allowed : _allowed.Allowed
        What the user allows.
    encoding : str
        How texts of Python 2 are decoded.
    """

    dispatch = dict(pickle._Unpickler.dispatch)
    # The base class sets these while it reads.
    stack: list[Any]
    memo: dict[Any, Any]
    read: Callable[[int], bytes]
    append: Callable[[Any], None]

    def __init__(self, file, name, allowed, encoding):
        super().__init__(_announced.Announced(file, name), fix_imports=False,
                         encoding=encoding, errors='strict')
        self._name = name
        self._allowed = allowed
        # Objects, by id, that may be called, instantiated or modified; they are kept
        # alive.
        gpu_device = _reconstructors.gpu_device     # as an attribute of a class
        self._callable: dict[Any, Any] = {id(gpu_device): gpu_device}
        self._trusted: dict[Any, Any] = {}
        self._values: dict[Any, Any] = {}
        self._later = _old_states.Later()
        # An error raised by code that the user allows, which is passed on.
        self.error_of_user = None

    def load(self):
        obj = super().load()
        self._checked('the whole', self._later.finish)
        return obj

    # ---- names

    def find_class(self, module, name):
        if not isinstance(module, str) or not isinstance(name, str):
            self._refuse('a name that is not a string: %r' % ((module, name),))
        found, is_trusted = self._allowed.find(module, name)
        if found is not None:
            self._values[id(found)] = found
            if is_trusted:
                self._trusted[id(found)] = found
            return found
        module = _reconstructors.OLD_MODULES.get(module, module)
        if module == 'builtins':
            name = _reconstructors.OLD_NAMES.get(name, name)
        path = module, name
        if path in _reconstructors.CALLS:
            found = _reconstructors.CALLS[path]
            self._callable[id(found)] = self._values[id(found)] = found
            return found
        if path in _reconstructors.VALUES:
            found = _reconstructors.VALUES[path]
        elif path in _old_states.CALLS:
            found = _old_states.CALLS[path]
            self._callable[id(found)] = found
        else:
            found = self._find_in_chainer(module, name)
        self._values[id(found)] = found
        return found

    def _find_in_chainer(self, module, name):
        path = '%s.%s' % (module, name)
        if _class_paths.is_of_chainer(module):
            real, name = _class_paths.today(module, name)
            if (real, name) in _old_states.CALLS:
                found = _old_states.CALLS[real, name]
                self._callable[id(found)] = found
                return found
            found = _class_paths.find(real, name)
            if inspect.isclass(found):
                return ClassOnly(found)
            if getattr(found, '__module__', '').startswith('chainer_fast.serializers.'):
                return WritesOrReads(found)
            if found is not None:
                return found
            what = 'which no longer exists, or does more than store values'
        else:
            what = 'which is not a class of Chainer or NumPy'
        self._refuse('%s, %s: if you trust it and the file, pass allow=(%r,) to '
                     'load_pickle' % (path, what, path))

    def _refuse(self, what):
        raise pickle.UnpicklingError('%s names %s' % (self._name, what))

    def get_extension(self, code):
        self._refuse('the number %d for a class: such files cannot be checked' % code)

    def persistent_load(self, pid):
        self._refuse('an object outside of it, %r' % (pid,))

    def load_bytearray8(self):
        # The base class first allocates the announced length.
        size, = struct.unpack('<Q', self.read(8))
        self.append(bytearray(self.read(size)))

    # ---- objects

    def _checked(self, what, function, *args):
        try:
            return function(*args)
        except pickle.UnpicklingError:
            raise
        except Exception as error:
            raise pickle.UnpicklingError('%s is damaged: %s cannot be made: %s: %s' % (
                self._name, what, type(error).__name__, error)) from error

    def _make(self, cls, args, kwargs):
        """Make an empty object of a class."""
        if isinstance(cls, ClassOnly):
            cls = cls._cls
        elif not self._is_trusted(cls) and (
                id(cls) not in self._callable or cls is functools.partial):
            self._refuse('an object of %r, which is created in another way' % (cls,))
        return self._checked(cls, functools.partial(
            cls.__new__, cls, *args, **kwargs))

    def _is_trusted(self, obj):
        return id(obj) in self._trusted

    def _call(self, function, args):
        """Call an object for a pickle, if it is known."""
        if not isinstance(args, tuple):
            self._refuse('arguments that are not a tuple')
        if self._is_trusted(function):
            try:
                return function(*args)
            except Exception as error:
                self.error_of_user = error
                raise
        if id(function) not in self._callable:
            self._refuse('a call of %r, which does more than make an object' % (
                getattr(function, '_cls', function),))
        if any(isinstance(arg, range) for arg in args) or (
                function is bytearray and args and isinstance(args[0], int)):
            self._refuse('a call of %s that may allocate any amount of memory, %r' % (
                getattr(function, '__name__', function), args))
        if function is functools.partial and (
                len(args) != 1 or id(args[0]) not in self._values
                or not inspect.isroutine(args[0])):
            self._refuse('a partial call of %r' % (args,))
        if function in (_reconstructors.new_object, _reconstructors.reconstructed):
            cls, *rest = args
            if isinstance(cls, ClassOnly):
                args = (cls._cls, *rest)
            elif not self._is_trusted(cls):
                self._refuse('an object of %r, which is created in another '
                             'way' % (cls,))
        elif args and isinstance(args[0], ClassOnly) and (
                args[0]._cls is cuda.GpuDevice
                or args[0]._cls.__module__ == 'chainer_fast.reporter'):
            args = (args[0]._cls, *args[1:])    # such as the factory of a defaultdict
        return self._checked(getattr(function, '__name__', function), function, *args)

    def load_reduce(self):
        args = self.stack.pop()
        self.stack[-1] = self._call(self.stack[-1], args)

    def load_newobj(self):
        args = self.stack.pop()
        self.stack[-1] = self._make(self.stack[-1], args, {})

    def load_newobj_ex(self):
        kwargs = self.stack.pop()
        args = self.stack.pop()
        self.stack[-1] = self._make(self.stack[-1], args, kwargs)

    def _instantiate(self, cls, args):
        # Objects of classes of Python 2 that do not derive from object.
        if args:
            self.append(self._call(cls, tuple(args)))
        else:
            self.append(self._make(cls, (), {}))

    # ---- states

    def load_build(self):
        state = self.stack.pop()
        obj = self.stack[-1]
        if id(obj) in self._values or isinstance(
                obj, (type, ClassOnly, types.FunctionType, types.ModuleType)):
            self._refuse('a state for %r, which is not an object of the file' % (obj,))
        if self._is_trusted(type(obj)):
            try:
                self._set_state(obj, state)
            except Exception as error:
                self.error_of_user = error
                raise
        else:
            self._checked(
                'the state of ' + type(obj).__name__, self._build, obj, state)

    def _build(self, obj, state):
        if isinstance(obj, numpy.dtype):
            self._replace(obj, _reconstructors.dtype_with_state(obj, state))
        elif type(obj) is numpy.ndarray:
            obj.__setstate__(_reconstructors.array_state(state))
        elif isinstance(obj, numpy.random.RandomState):
            _reconstructors.set_random_state(obj, state)
        elif isinstance(obj, (_reconstructors.Ignored, _reconstructors.NumberedDevice)):
            pass
        elif isinstance(obj, functools.partial):
            if state[0] is not obj.func:
                self._refuse('a partial call of something else')
            obj.__setstate__(state)     # type: ignore[attr-defined]
        elif isinstance(obj, cuda.GpuDevice):
            self._replace(obj, _reconstructors.gpu_device(state['device']))
        elif isinstance(obj, _backend.Device) or not type(obj).__module__.startswith(
                ('chainer_fast.', 'collections')):
            self._refuse('a state of %r' % (type(obj),))
        else:
            self._set_state(obj, state)

    def _set_state(self, obj, state):
        state = _old_states.bring_up_to_date(obj, state, self._later)
        is_known = not self._is_trusted(type(obj))
        # Looked up on the type: an attribute could be the method of another object.
        set_state = getattr(type(obj), '__setstate__', None)
        if set_state is not None:
            set_state(obj, state)
            return
        slots = None
        if isinstance(state, tuple) and len(state) == 2:
            state, slots = state
        if is_known and slots:
            self._refuse('slots of %r' % (type(obj),))
        for name, value in (state or {}).items():
            if is_known and inspect.isroutine(getattr(type(obj), name, None)):
                self._refuse('%r as a value, which is a method of %r' % (
                    name, type(obj)))
            if name == '_savefun' and isinstance(value, WritesOrReads) and type(
                    obj).__module__ == _WRITERS:
                value = value.function
            obj.__dict__[name] = value
        for name, value in (slots or {}).items():
            setattr(obj, name, value)

    def _replace(self, old, new):
        """Replace an immutable object by another one."""
        self.stack[-1] = new
        for key, value in self.memo.items():
            if value is old:
                self.memo[key] = new

    dispatch[pickle.BYTEARRAY8[0]] = load_bytearray8
    dispatch[pickle.REDUCE[0]] = load_reduce
    dispatch[pickle.NEWOBJ[0]] = load_newobj
    dispatch[pickle.NEWOBJ_EX[0]] = load_newobj_ex
    dispatch[pickle.BUILD[0]] = load_build
