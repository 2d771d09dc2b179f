"""Instructions of integers."""
import numpy

from tests.doubles.ptx import kinds
from tests.doubles.ptx.decode import makes
from tests.doubles.ptx.faults import Fault


def high_half(a, b):
    """Return the upper halves of products of 64-bit integers of one type."""
    low, shift = numpy.uint64(0xffffffff), numpy.uint64(32)
    ua, ub = a.view('u8'), b.view('u8')
    al, ah, bl, bh = ua & low, ua >> shift, ub & low, ub >> shift
    middle = (al * bl >> shift) + (ah * bl & low) + (al * bh & low)
    high = ah * bh + (ah * bl >> shift) + (al * bh >> shift) + (middle >> shift)
    if a.dtype.kind == 'i':
        zero = numpy.uint64(0)
        high = high - numpy.where(a < 0, ub, zero) - numpy.where(b < 0, ua, zero)
    return high.view(a.dtype)


def product(a, b, part):
    """Return the lower or upper halves of products, or all of them in a wider type."""
    dtype = a.dtype
    if part == 'lo':
        return a * b
    if dtype.itemsize == 8:
        return high_half(a, b)
    wide = numpy.dtype('%s%d' % (dtype.kind, 2 * dtype.itemsize))
    whole = a.astype(wide) * b.astype(wide)
    return whole if part == 'wide' else (whole >> (8 * dtype.itemsize)).astype(dtype)


def quotient(a, b, text):
    """Return quotients, rounded towards zero."""
    if (b == 0).any():
        raise Fault('an integer divided by zero: %s' % text)
    q = a // b
    if a.dtype.kind == 'u':
        return q
    rest = a - q * b
    return q + ((rest != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def integer_kind(statement, of_bits=False):
    """Take the type, an integer of two bytes at least, or bits where they may be."""
    kind = statement.kind()
    if kind[0] == 'f' or kind == 'pred' or kinds.size_of(kind) < 2 or (
            kind[0] == 'b' and not of_bits):
        raise statement.unknown()
    return kind


def add_or_subtract(statement):
    """``add``, ``sub``, and with carries ``addc``, ``subc``."""
    name = statement.name
    subtracts, takes_carry = name.startswith('sub'), name.endswith('c')
    gives_carry = statement.has('cc')
    kind = integer_kind(statement)
    if (takes_carry or gives_carry) and kinds.size_of(kind) < 4:
        raise statement.unknown()
    if statement.has('sat'):
        raise statement.unknown()
    statement.end(3)
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    if not takes_carry and not gives_carry:
        operation = numpy.subtract if subtracts else numpy.add
        return lambda t: target(t, operation(a(t), b(t)))
    dtype, flat = kinds.dtype_of(kind), kinds.bits(kinds.size_of(kind))

    def run(t):
        x, y = a(t).view(flat), b(t).view(flat)
        carry = flat.type(0)
        if takes_carry:
            carry = t.read_carry(statement.text).astype(flat)
        if subtracts:
            out = x - y - carry
            over = (x < y) | ((x == y) & (carry != 0))
        else:
            out = x + y + carry
            over = (out < x) | ((out == x) & (carry != 0))
        target(t, out.view(dtype))
        if gives_carry:
            t.write_carry(over)
    return run


@makes('mul', 'mad', 'madc')
def multiply(statement):
    name = statement.name
    if statement.instruction.modifiers[-1][0] == 'f':
        from tests.doubles.ptx import floats
        return floats.arithmetic(statement)
    part = statement.one_of('lo', 'hi', 'wide')
    gives_carry, takes_carry = statement.has('cc'), name == 'madc'
    kind = integer_kind(statement)
    size = kinds.size_of(kind)
    if part is None or part == 'wide' and size == 8 or (
            (gives_carry or takes_carry) and (part == 'wide' or size < 4)):
        raise statement.unknown()
    statement.end(3 if name == 'mul' else 4)
    out_kind = kind[0] + str(16 * size) if part == 'wide' else kind
    target = statement.target(0, out_kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    if name == 'mul':
        return lambda t: target(t, product(a(t), b(t), part))
    c = statement.source(3, out_kind)
    if not gives_carry and not takes_carry:
        return lambda t: target(t, product(a(t), b(t), part) + c(t))
    flat = kinds.bits(size)

    def run(t):
        x, y = numpy.asarray(product(a(t), b(t), part)).view(flat), c(t).view(flat)
        carry = flat.type(0)
        if takes_carry:
            carry = t.read_carry(statement.text).astype(flat)
        out = x + y + carry
        target(t, out.view(kinds.dtype_of(kind)))
        if gives_carry:
            t.write_carry((out < x) | ((out == x) & (carry != 0)))
    return run


def divide(statement):
    """``div`` of integers."""
    kind = integer_kind(statement)
    statement.end(3)
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    return lambda t: target(t, quotient(a(t), b(t), statement.text))


@makes('rem')
def remainder(statement):
    kind = integer_kind(statement)
    statement.end(3)
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)

    def run(t):
        x, y = a(t), b(t)
        target(t, x - quotient(x, y, statement.text) * y)
    return run


def sign(statement):
    """``abs`` and ``neg`` of integers."""
    kind = integer_kind(statement)
    statement.end(2)
    if kind[0] != 's':
        raise statement.unknown()
    operation = {'abs': numpy.abs, 'neg': numpy.negative}[statement.name]
    target, a = statement.target(0, kind), statement.source(1, kind)
    return lambda t: target(t, operation(a(t)))


def least_or_most(statement):
    """``min`` and ``max`` of integers."""
    kind = integer_kind(statement)
    statement.end(3)
    operation = {'min': numpy.minimum, 'max': numpy.maximum}[statement.name]
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    return lambda t: target(t, operation(a(t), b(t)))
