"""The one way from Python to all declared loops.

It does for each kernel what its signature says: it compares types and shapes, reads
numbers, makes results, and declines what it has no loop for. It lets other threads run
while a long loop does, and asks for floating-point flags.
"""
import numpy

from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.math cimport INFINITY
from libc.stddef cimport ptrdiff_t

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.recipe cimport to_double
from chainer_fast.backends.kernels.common.loops cimport Unary, unary_of
from chainer_fast.backends.kernels.declared.signatures import Number, read

cdef extern from "chainer_fast/backends/kernels/declared/check.hpp" \
        namespace "chainer_fast" nogil:
    enum:
        MOST_FUNCTIONS, MOST_NUMBERS, MOST_OPERANDS, MOST_SHAPES, MOST_SYMBOLS
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
        ptrdiff_t rows, columns
        const double *numbers
    cdef cppclass Task:
        Call call
        bint run() noexcept
    cdef cppclass Classes:
        pass
    cdef enum Type:
        FLOATS, HALVES_TOO, LABELS, CLASSES
    cdef struct Shape:
        int n
        int *symbols
        bint whole, row, column
    cdef struct Slot:
        Type type
        int n
        Shape *shapes
    cdef cppclass Rules:
        Slot *slots
        int inputs, operands, symbols
        bint any_axes, whole_rows, whole
        double work
        Body f
        Body d
        Unary *functions
        bint bind(PyObject **, Task *, Classes *, PyObject **) except +* nogil

cdef extern from "chainer_fast/backends/kernels/declared/tables.hpp" \
        namespace "chainer_fast":
    const Declaration *const *TABLES

cdef extern from *:
    """
    /* Some of NumPy's macros call functions of a table that each module has. */
    #include <numpy/arrayobject.h>
    static int cf_import_numpy() { import_array1(-1); return 0; }
    """
    int cf_import_numpy() except -1

cf_import_numpy()

_TYPES = {'F': FLOATS, 'E': HALVES_TOO, 'label': LABELS, 'class': CLASSES}

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
    cdef int _arguments

    def __call__(self, *args):
        cdef double numbers[MOST_NUMBERS]
        cdef PyObject *arrays[MOST_OPERANDS]
        cdef int i, a = 0, k = 0
        if len(args) != self._arguments:
            raise TypeError('%s takes %d arguments, got %d' % (
                self.name, self._arguments, len(args)))
        # Truth values may run code of the user's, which comes before all checks.
        for i in range(self._arguments):
            if not self._is_number[i]:
                arrays[a] = <PyObject *>(<tuple>args)[i]
                a += 1
            elif self._read(&self._bounds[k], (<tuple>args)[i], numbers + k):
                k += 1
            else:
                return NotImplemented
        return self._run(arrays, numbers)

    cdef bint _read(self, const Bound *bound, object given, double *number) except -1:
        """Read a number; False if it is none of those that the signature names."""
        if bound.type == b'b':
            number[0] = bool(given)
            return True
        if bound.type == b'i' and type(given) is not int:
            return False
        try:
            if not to_double(given, number):
                return False
        except OverflowError:
            return False
        if bound.type == b'i':
            return -2**31 < number[0] < 2**31
        return not number[0] < bound.least and not (
            bound.over and not number[0] > bound.least)

    cdef object _run(self, PyObject **arrays, const double *numbers):
        cdef PyObject *results[MOST_OPERANDS]
        cdef Task task
        cdef Classes classes
        cdef int i, n = self._rules.operands - self._rules.inputs
        cdef bint done
        for i in range(n):
            results[i] = NULL
        try:
            if not self._rules.bind(arrays, &task, &classes, results):
                return NotImplemented
            task.call.numbers = numbers
            clear_float_errors()
            if task.call.rows * task.call.columns >= LONG_LOOP:
                with nogil:
                    done = task.run()
            else:
                done = task.run()
            if not done or float_errors():
                return NotImplemented
            if n == 1:
                return <object>results[0]
            return tuple([<object>results[i] for i in range(n)])
        finally:
            for i in range(n):
                Py_XDECREF(results[i])


cdef int _read_shape(symbols, first, Shape *shape) except -1:
    if len(symbols) > MOST_SYMBOLS:
        raise ValueError('a shape has more than %d symbols' % MOST_SYMBOLS)
    shape.n = len(symbols)
    for i, symbol in enumerate(symbols):
        shape.symbols[i] = -1 if symbol == '1' else first.index(symbol)
    shape.whole = symbols == first
    shape.column = first[len(first) - 1] in symbols
    shape.row = len(first) > 1 and first[0] in symbols
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
    rules.whole_rows = signature.whole_rows
    # A result that has no rows is of all of them.
    rules.whole = any([first[0] not in each.shapes[0] for each in signature.outputs])
    rules.inputs = len(signature.inputs)
    rules.operands = rules.inputs + len(signature.outputs)
    if rules.operands > MOST_OPERANDS:
        raise ValueError('there are more than %d arrays' % MOST_OPERANDS)
    for i, array in enumerate((*signature.inputs, *signature.outputs)):
        _read_slot(array, first, &rules.slots[i])
    return 0


cdef DeclaredKernel _kernel(const Declaration *line):
    cdef DeclaredKernel made = DeclaredKernel.__new__(DeclaredKernel)
    cdef int i
    made.name = line.name.decode('ascii')
    made.signature = signature = read(line.signature.decode('ascii'))
    _read_rules(signature, &made._rules)
    made._rules.f, made._rules.d, made._rules.work = line.f, line.d, line.work
    made._arguments = len(signature.arguments)
    if len(signature.numbers) > MOST_NUMBERS:
        raise ValueError('%s takes more than %d numbers' % (made.name, MOST_NUMBERS))
    for i, argument in enumerate(signature.arguments):
        made._is_number[i] = isinstance(argument, Number)
    for i, number in enumerate(signature.numbers):
        made._bounds[i].type = ord(number.type)
        made._bounds[i].least = -INFINITY if number.least is None else number.least
        made._bounds[i].over = number.over
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
