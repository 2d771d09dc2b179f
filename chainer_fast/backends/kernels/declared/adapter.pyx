"""The adapter from Python to all declared loops.

It handles each kernel according to its signature: it compares types and shapes, reads
numbers, makes results, and declines arguments that no loop supports. It releases the
GIL during long loops, and reads floating-point flags.
"""
import sys

import numpy

from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stddef cimport ptrdiff_t
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_NDIM

from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, clear_float_errors, float_errors, input_array, new_ref,
    output_array, own_attribute, place_of, wanted)
from chainer_fast._core.updates.update cimport to_double
from chainer_fast.backends.kernels.common.layout cimport in_order_of
from chainer_fast.backends.kernels.common.ufuncs cimport Unary, unary_of
from chainer_fast.backends.kernels.declared.signatures import Number, read

ctypedef object (*InOrder)(object, object)

cdef extern from "chainer_fast/backends/kernels/declared/check.hpp" \
        namespace "chainer_fast" nogil:
    enum:
        MOST_AXES, MOST_FUNCTIONS, MOST_NUMBERS, MOST_OPERANDS
        MOST_SHAPES, MOST_SYMBOLS
    ptrdiff_t LONG_LOOP
    ctypedef void (*Body)() noexcept
    cdef struct Declaration:
        const char *name
        const char *signature
        Body f
        Body d
        double work
        const char **functions
    cdef cppclass Call:
        ptrdiff_t rows, columns, inner
        const double *numbers
    cdef cppclass Task:
        Call call
        bint run() noexcept
    cdef cppclass Classes:
        pass
    cdef cppclass Held:
        PyObject **each
        int n
    cdef enum Type:
        FLOATS, HALVES_TOO, LABELS, CLASSES
    cdef struct Shape:
        int n
        int *symbols
        int *times
        bint whole
    cdef struct Axes:
        int *begin
    cdef struct Slot:
        Type type
        int n
        Shape *shapes
    cdef cppclass Rules:
        Slot *slots
        int inputs, operands, symbols
        bint any_axes, around, images, whole_rows, whole, without_middle, doubles
        double work
        Body f
        Body d
        Unary *functions
        InOrder in_order_of
        bint bind(PyObject **given, Axes, Task *, Classes *, Held *results,
                  Held *kept) except +* nogil

cdef extern from "chainer_fast/backends/kernels/declared/tables.hpp" \
        namespace "chainer_fast":
    const Declaration *const *TABLES

np.import_array()

_TYPES = {'F': FLOATS, 'E': HALVES_TOO, 'label': LABELS, 'class': CLASSES}

cdef enum Around:
    AXIS, AXES, OTHERS

_AROUND = {'axis': AXIS, 'axes': AXES, 'others': OTHERS}

cdef struct Bound:
    char type
    double least
    bint over


cdef class DeclaredKernel:
    """A kernel that its signature describes; see :mod:`.signatures`.

    Attributes
    ----------
    name : str
    signature : Signature
    """
    cdef readonly str name
    cdef readonly object signature
    cdef Rules _rules
    cdef Bound _bounds[MOST_NUMBERS]
    cdef bint _is_number[MOST_OPERANDS + MOST_NUMBERS]
    cdef tuple _names               # of numbers and axes
    cdef PyObject *_name_of[MOST_NUMBERS]
    cdef int _count                 # of these
    cdef int _arguments, _axis      # their number; which is axes, or -1
    cdef int _axes_at               # likewise, among the names
    cdef Around _axis_type
    cdef object _fixed_axis         # or None, if the axes are an argument

    def __call__(self, *args):
        cdef double numbers[MOST_NUMBERS]
        cdef PyObject *arrays[MOST_OPERANDS]
        cdef Axes axes
        cdef object axis = self._fixed_axis
        cdef int i, a = 0, k = 0
        # An object that `__new__` alone has made takes none.
        if len(args) != self._arguments or not args:
            raise TypeError('%s takes %d arguments, got %d' % (
                self.name, self._arguments, len(args)))
        # Truth values may run code of the user, so they come before all checks.
        numbers[0] = 0
        for i in range(self._arguments):
            if not self._is_number[i]:
                arrays[a] = <PyObject *>(<tuple>args)[i]
                a += 1
            elif i == self._axis:
                axis = (<tuple>args)[i]
            elif self._read(&self._bounds[k], (<tuple>args)[i], numbers + k):
                k += 1
            else:
                return NotImplemented
        if self._rules.around and not _read_axes(
                axis, <object>arrays[0], self._axis_type, &axes):
            return NotImplemented
        made = self._run(arrays, &axes, numbers)
        return NotImplemented if made is None else made

    cdef object run_for(self, FunctionBase function, PyObject **arrays):
        """Return the results of the loop with attributes of a function as numbers.

        The result is None if the loop does not support them.
        """
        cdef double numbers[MOST_NUMBERS]
        cdef Axes axes
        cdef object axis = self._fixed_axis
        cdef int i, k = 0
        for i in range(self._count):
            number = own_attribute(function, <str>self._name_of[i])
            if i == self._axes_at:
                axis = number
            elif self._read(&self._bounds[k], number, numbers + k):
                k += 1
            else:
                return None
        if self._rules.around and not _read_axes(
                axis, <object>arrays[0], self._axis_type, &axes):
            return None
        return self._run(arrays, &axes, numbers)

    cdef bint _read(self, const Bound *bound, object value, double *number) except -1:
        """Read a number; return False if the signature does not allow it."""
        if bound.type == b'b':
            number[0] = bool(value)
            return True
        if bound.type == b'n':
            return value is None
        if bound.type == b'i' and type(value) is not int:
            return False
        try:
            if not to_double(value, number):
                return False
        except OverflowError:
            return False
        if bound.type == b'i' and not -2**31 < number[0] < 2**31:
            return False
        return not number[0] < bound.least and not (
            bound.over and not number[0] > bound.least)

    cdef object _run(self, PyObject **arrays, Axes *axes, const double *numbers):
        """Return the results of the loop; None if it does not support the call."""
        cdef Held results, kept
        cdef Task task
        cdef Classes classes
        cdef int i
        cdef bint done
        if not self._rules.bind(
                arrays, axes[0], &task, &classes, &results, &kept):
            return None
        task.call.numbers = numbers
        clear_float_errors()
        if task.call.rows * task.call.columns * task.call.inner >= LONG_LOOP:
            with nogil:
                done = task.run()
        else:
            done = task.run()
        if not done or float_errors():
            return None
        if results.n == 1:
            return <object>results.each[0]
        return tuple([<object>results.each[i] for i in range(results.n)])


cdef bint _read_axes(object axis, object array, Around type_, Axes *axes) noexcept:
    """Find axes that are adjacent; return False for any other argument.

    They are an int, or a tuple of ints, perhaps of all axes but those to be found, or
    None for all.
    """
    cdef bint named[MOST_AXES]
    cdef int i, n, ndim
    if not PyArray_CheckExact(array):
        return False
    ndim = PyArray_NDIM(<np.ndarray>array)
    if type_ == AXIS:
        if type(axis) is not int:
            return False
        i = place_of(axis, ndim)
        axes.begin[0], axes.begin[1], axes.begin[2], axes.begin[3] = 0, i, i + 1, ndim
        return i >= 0
    if type_ == AXES and axis is None:
        axes.begin[0], axes.begin[1], axes.begin[2], axes.begin[3] = 0, 0, ndim, ndim
        return True
    if type(axis) is not tuple or ndim > MOST_AXES:
        return False
    for i in range(ndim):
        named[i] = type_ == OTHERS
    for each in <tuple>axis:
        i = place_of(each, ndim)
        # A repeated axis is an error, which NumPy reports.
        if i < 0 or named[i] != (type_ == OTHERS):
            return False
        named[i] = type_ != OTHERS
    i = n = 0
    while i < ndim and not named[i]:
        i += 1
    while i + n < ndim and named[i + n]:
        n += 1
    axes.begin[0], axes.begin[1], axes.begin[2], axes.begin[3] = 0, i, i + n, ndim
    for i in range(i + n, ndim):
        if named[i]:
            return False
    return True


cdef int _read_shape(symbols, first, Shape *shape) except -1:
    if len(symbols) > MOST_SYMBOLS:
        raise ValueError('a shape has more than %d symbols' % MOST_SYMBOLS)
    shape.n = len(symbols)
    for i, symbol in enumerate(symbols):
        shape.times[i] = 2 if symbol[0] == '2' else 1
        shape.symbols[i] = -1 if symbol == '1' else first.index(
            symbol.removeprefix('2'))
    shape.whole = symbols == first
    return 0


cdef int _read_slot(array, first, Slot *slot) except -1:
    slot.type = _TYPES[array.type]
    slot.n = len(array.shapes)
    if slot.n > MOST_SHAPES:
        raise ValueError('%s has more than %d shapes' % (array.name, MOST_SHAPES))
    for k, symbols in enumerate(array.shapes):
        _read_shape(symbols, first, &slot.shapes[k])
    return 0


cdef int _read_rules(signature, Rules *rules) except -1:
    first = signature.inputs[0].shapes[0]
    rules.symbols = len(first)
    rules.any_axes = first[0] == '*'
    rules.around = len(first) == 3
    rules.images = signature.axis is not None
    rules.whole_rows = signature.whole_rows
    # A result that has no rows is of all of them.
    rules.whole = any([first[0] not in each.shapes[0] for each in signature.outputs])
    rules.without_middle = len(first) == 3 and any([
        first[1] not in shape for array in (*signature.inputs, *signature.outputs)
        for shape in array.shapes])
    rules.doubles = '2' in str([
        each.shapes for each in (*signature.inputs, *signature.outputs)])
    rules.inputs = len(signature.inputs)
    rules.operands = rules.inputs + len(signature.outputs)
    if rules.operands > MOST_OPERANDS:
        raise ValueError('there are more than %d arrays' % MOST_OPERANDS)
    for i, array in enumerate((*signature.inputs, *signature.outputs)):
        _read_slot(array, first, &rules.slots[i])
    return 0


cdef DeclaredKernel _kernel(const Declaration *line):
    cdef DeclaredKernel made = DeclaredKernel.__new__(DeclaredKernel)
    cdef int i, k = 0
    made.name = line.name.decode('ascii')
    made.signature = signature = read(line.signature.decode('ascii'))
    _read_rules(signature, &made._rules)
    made._rules.f, made._rules.d, made._rules.work = line.f, line.d, line.work
    made._rules.in_order_of = in_order_of
    made._arguments = len(signature.arguments)
    if len(signature.numbers) > MOST_NUMBERS:
        raise ValueError('%s takes more than %d numbers' % (made.name, MOST_NUMBERS))
    # As attributes are, so that they are found without a comparison.
    made._names = tuple([sys.intern(each.name) for each in signature.numbers])
    made._count = len(made._names)
    for i in range(made._count):
        made._name_of[i] = <PyObject *>(<tuple>made._names)[i]
    made._axis = made._axes_at = -1
    for i, argument in enumerate(signature.arguments):
        made._is_number[i] = isinstance(argument, Number)
        if not made._is_number[i]:
            continue
        if argument.type in _AROUND:
            made._axis, made._axis_type = i, _AROUND[argument.type]
            made._axes_at = k
            continue
        made._bounds[k].type = ord(argument.type[0])
        made._bounds[k].least = -INFINITY if argument.least is None else argument.least
        made._bounds[k].over = argument.over
        k += 1
    made._fixed_axis = signature.axis
    if made._rules.around != (made._axis >= 0 or signature.axis is not None):
        raise ValueError('%s has three symbols, or axes, and not both' % made.name)
    for i in range(MOST_FUNCTIONS):
        if line.functions[i] is not NULL:
            made._rules.functions[i] = unary_of(
                getattr(numpy, line.functions[i].decode('ascii')))
    return made


cdef dict _kernels():
    """Return the kernels of all tables by name."""
    cdef dict found = {}
    cdef const Declaration *const *table = TABLES
    cdef const Declaration *line
    while table[0] is not NULL:
        line = table[0]
        while line.name is not NULL:
            made = _kernel(line)
            found[made.name] = made
            line += 1
        table += 1
    return found


KERNELS = _kernels()

include "_shortcut.pxi"
