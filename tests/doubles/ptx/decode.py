"""Instructions as functions of threads.

Each module of instructions registers what makes such a function of a statement, and
refuses modifiers and types that it does not know. So an instruction is understood
before it runs, and a register of the wrong type is seen even where no thread comes.
"""
import numpy

from tests.doubles.ptx import kinds
from tests.doubles.ptx.faults import Fault, Unknown

_makers = {}


def makes(*names):
    """Register what understands instructions of some names."""
    def register(maker):
        _makers.update(dict.fromkeys(names, maker))
        return maker
    return register


class Decoded:
    """An instruction that threads can run.

    Attributes
    ----------
    text : str
    run : callable
        Takes threads; ``threads.m`` says which of them.
    guard : callable or None
        Returns which of the threads it is for.
    jump : callable or None
        Returns where they go on, one place or one for each.
    collective : {None, 'block', 'warp'}
        Whose threads must all come before it runs.
    members : callable or None
        Returns a mask of the threads of the warp that are to come.
    orders : bool
        Whether it orders the uses of memory before and after it.
    """

    def __init__(self, text):
        self.text = text
        self.run = self.guard = self.jump = self.collective = self.members = None
        self.orders = False


class Statement:
    """An instruction that is being understood."""

    def __init__(self, instruction, function):
        self.instruction, self.function = instruction, function
        self.text, self.name = instruction.text, instruction.name
        self.operands = instruction.operands
        self.out = Decoded(self.text)
        self._modifiers = list(instruction.modifiers)

    def kind(self):
        """Take the last modifier, a type."""
        if not self._modifiers or self._modifiers[-1] not in kinds.DTYPES:
            raise self.unknown()
        return self._modifiers.pop()

    def has(self, modifier):
        """Take a modifier if it is there."""
        if modifier in self._modifiers:
            self._modifiers.remove(modifier)
            return True
        return False

    def one_of(self, *modifiers):
        """Take the one of some modifiers that is there; None if none is."""
        found = [each for each in modifiers if each in self._modifiers]
        if len(found) > 1:
            raise self.unknown()
        if not found:
            return None
        self._modifiers.remove(found[0])
        return found[0]

    def end(self, operands):
        """Raise if modifiers are left, or operands are not so many."""
        if self._modifiers or len(self.operands) != operands:
            raise self.unknown()

    def unknown(self):
        return Unknown('instruction %r' % self.text)

    def source(self, i, kind, widens=False):
        """Return a function of threads that returns an operand as a type."""
        return self.read(self.operands[i], kind, widens)

    def read(self, operand, kind, widens=False):
        dtype = kinds.dtype_of(kind)
        if operand[0] == 'not' and kind == 'pred':
            inner = self.read(operand[1], kind)
            return lambda t: ~inner(t)
        if operand[0] == 'i':
            return self._constant(self._integer(operand[1], dtype))
        if operand[0] == 'f' and operand[2] == dtype.itemsize and kind[0] in 'fb':
            return self._constant(numpy.array(
                operand[1], kinds.bits(operand[2])).view(dtype)[()])
        if operand[0] != 'name':
            raise self.unknown()
        name, offset = operand[1:]
        if name in self.function.registers and not offset:
            return self._register(name, kind, widens)
        if name == 'WARP_SZ':
            return self._constant(dtype.type(32))
        if name.startswith('%'):
            if dtype.itemsize != 4 or dtype.kind == 'f':
                raise self.unknown()
            special = name[1:]
            return lambda t: t.launch.special(special)[t.active_lanes()].view(dtype)
        if dtype.kind not in 'iu' or dtype.itemsize < 4:
            raise self.unknown()
        return lambda t: dtype.type(t.launch.address(t, name, self.text) + offset)

    @staticmethod
    def _constant(value):
        return lambda t: value

    def _integer(self, value, dtype):
        if dtype.kind == 'f':
            raise self.unknown()
        if dtype.kind == 'b':
            return numpy.bool_(value)
        width = 8 * dtype.itemsize
        if not -(1 << width - 1) <= value < 1 << width:
            raise Unknown('%d needs more than %d bits: %s' % (value, width, self.text))
        return numpy.array(value & (1 << width) - 1, kinds.bits(dtype.itemsize)).view(
            dtype)[()]

    def _register(self, name, kind, widens):
        register, text = self.function.registers[name], self.text
        kinds.check(register, kind, text, widens)
        dtype, have = kinds.dtype_of(kind), kinds.dtype_of(register)
        narrow = kinds.bits(dtype.itemsize) if have.itemsize != dtype.itemsize else None

        def read(t):
            value = t.registers.get(name)
            if value is None:
                raise Fault('no thread has written to %s: %s' % (name, text))
            if t.m is not None:
                value = value[t.m]
            if narrow is not None:
                value = value.astype(narrow)
            return value if value.dtype == dtype else value.view(dtype)
        return read

    def target(self, i, kind, widens=False):
        """Return a function of threads and values that writes an operand."""
        return self.write(self.operands[i], kind, widens)

    def write(self, operand, kind, widens=False):
        if operand[0] == '_':
            return lambda t, value: None
        if operand[0] != 'name' or operand[1] not in self.function.registers:
            raise self.unknown()
        name, register = operand[1], self.function.registers[operand[1]]
        kinds.check(register, kind, self.text, widens)
        dtype, have = kinds.dtype_of(kind), kinds.dtype_of(register)
        wide = None
        if have.itemsize != dtype.itemsize:
            wide = numpy.dtype('%s%d' % (dtype.kind, have.itemsize))

        def write(t, value):
            if value.dtype != dtype:
                raise TypeError('%s of %s: %s' % (value.dtype, dtype, self.text))
            if wide is not None:
                value = value.astype(wide)
            if value.dtype != have:
                value = value.view(have)
            register = t.register(name)
            register[slice(None) if t.m is None else t.m] = value
        return write


def decoded(function):
    """Return the instructions of a function as threads run them."""
    function.read()
    if not hasattr(function, 'decoded'):
        function.decoded = [_decode(each, function) for each in function.instructions]
    return function.decoded


def _decode(instruction, function):
    statement = Statement(instruction, function)
    maker = _makers.get(instruction.name)
    if maker is None:
        raise statement.unknown()
    out = statement.out
    run = maker(statement)
    if run is not None:
        out.run = run
    if instruction.guard is not None:
        negated, name = instruction.guard
        holds = statement.read(('name', name, 0), 'pred')
        out.guard = (lambda t: ~holds(t)) if negated else holds
    return out
