"""Instructions of integers and bits."""
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


def _integer(statement, of_bits=False):
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
    kind = _integer(statement)
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
        carry = t.read_carry(statement.text).astype(flat) if takes_carry else flat.type(0)
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
    kind = _integer(statement)
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
        carry = t.read_carry(statement.text).astype(flat) if takes_carry else flat.type(0)
        out = x + y + carry
        target(t, out.view(kinds.dtype_of(kind)))
        if gives_carry:
            t.write_carry((out < x) | ((out == x) & (carry != 0)))
    return run


def divide(statement):
    """``div`` of integers."""
    kind = _integer(statement)
    statement.end(3)
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    return lambda t: target(t, quotient(a(t), b(t), statement.text))


@makes('rem')
def remainder(statement):
    kind = _integer(statement)
    statement.end(3)
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)

    def run(t):
        x, y = a(t), b(t)
        target(t, x - quotient(x, y, statement.text) * y)
    return run


def sign(statement):
    """``abs`` and ``neg`` of integers."""
    kind = _integer(statement)
    statement.end(2)
    if kind[0] != 's':
        raise statement.unknown()
    operation = {'abs': numpy.abs, 'neg': numpy.negative}[statement.name]
    target, a = statement.target(0, kind), statement.source(1, kind)
    return lambda t: target(t, operation(a(t)))


def least_or_most(statement):
    """``min`` and ``max`` of integers."""
    kind = _integer(statement)
    statement.end(3)
    operation = {'min': numpy.minimum, 'max': numpy.maximum}[statement.name]
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    return lambda t: target(t, operation(a(t), b(t)))


def _bits(statement, *also):
    kind = statement.kind()
    if kind[0] != 'b' and kind not in also or kind == 'b8':
        raise statement.unknown()
    return kind


@makes('and', 'or', 'xor')
def logic(statement):
    kind = _bits(statement, 'pred')
    statement.end(3)
    operation = {'and': numpy.bitwise_and, 'or': numpy.bitwise_or,
                 'xor': numpy.bitwise_xor}[statement.name]
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    return lambda t: target(t, operation(a(t), b(t)))


@makes('not', 'cnot')
def complement(statement):
    kind = _bits(statement, 'pred')
    statement.end(2)
    target, a = statement.target(0, kind), statement.source(1, kind)
    if statement.name == 'not':
        return lambda t: target(t, ~a(t))
    if kind == 'pred':
        raise statement.unknown()
    return lambda t: target(t, (a(t) == 0).astype(kinds.dtype_of(kind)))


@makes('shl', 'shr')
def shift(statement):
    kind = _integer(statement, of_bits=True)
    statement.end(3)
    if statement.name == 'shl' and kind[0] != 'b':
        raise statement.unknown()
    width = 8 * kinds.size_of(kind)
    dtype = kinds.dtype_of(kind)
    operation = numpy.left_shift if statement.name == 'shl' else numpy.right_shift
    target = statement.target(0, kind)
    a, n = statement.source(1, kind), statement.source(2, 'u32')

    def run(t):
        x, count = a(t), n(t)
        out = operation(x, numpy.minimum(count, width - 1).astype(dtype))
        far = count >= width
        if far.any():
            # All digits are gone, but for copies of the sign.
            beyond = x >> dtype.type(width - 1) if dtype.kind == 'i' else dtype.type(0)
            out = numpy.where(far, beyond, out)
        target(t, out)
    return run


@makes('popc', 'clz', 'brev', 'bfind')
def count(statement):
    name = statement.name
    shifts = name == 'bfind' and statement.has('shiftamt')
    kind = _integer(statement, of_bits=True)
    size = kinds.size_of(kind)
    statement.end(2)
    if size < 4 or (kind[0] == 'b') == (name == 'bfind'):
        raise statement.unknown()
    width, flat = 8 * size, kinds.bits(size)
    target = statement.target(0, kind if name == 'brev' else 'u32')
    source = statement.source(1, kind)

    def highest(x):
        """Return the place of the highest digit, -1 without one."""
        out = numpy.full(x.shape, -1, 'i8')
        for i in range(width):
            out[(x >> flat.type(i)) & flat.type(1) == 1] = i
        return out

    def run(t):
        x = numpy.array(source(t), ndmin=1)
        if name == 'popc':
            out = numpy.bitwise_count(x).astype('u4')
        elif name == 'clz':
            out = (width - 1 - highest(x)).astype('u4')
        elif name == 'brev':
            out = numpy.zeros_like(x)
            for i in range(width):
                out |= ((x >> flat.type(i)) & flat.type(1)) << flat.type(width - 1 - i)
        else:
            x = numpy.where(x < 0, ~x, x).view(flat)
            place = highest(x)
            out = numpy.where((place >= 0) & shifts, width - 1 - place, place).astype(
                'i4').view('u4')
        target(t, out if len(out) > 1 or t.active() == 1 else out[0])
    return run


@makes('bfe')
def extract(statement):
    kind = _integer(statement)
    size = kinds.size_of(kind)
    statement.end(4)
    if size < 4:
        raise statement.unknown()
    width, dtype = 8 * size, kinds.dtype_of(kind)
    target, source = statement.target(0, kind), statement.source(1, kind)
    begin, length = statement.source(2, 'u32'), statement.source(3, 'u32')

    def one(x, b, n):
        """As the manual defines it, for numbers of Python."""
        b, n = b & 255, n & 255
        x &= (1 << width) - 1
        sign = kind[0] == 's' and n and x >> min(b + n - 1, width - 1) & 1
        inside = max(min(n, width - b), 0)
        out = x >> b & (1 << inside) - 1
        return out | ((1 << width) - (1 << inside) if sign else 0)

    def run(t):
        out = numpy.frompyfunc(one, 3, 1)(*[
            numpy.asarray(f(t)).astype(object) for f in (source, begin, length)])
        target(t, numpy.asarray(out).astype(kinds.bits(size)).view(dtype))
    return run


@makes('bfi')
def insert(statement):
    kind = _bits(statement)
    size = kinds.size_of(kind)
    statement.end(5)
    if size < 4:
        raise statement.unknown()
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    begin, length = statement.source(3, 'u32'), statement.source(4, 'u32')

    def one(x, y, at, n):
        mask = (1 << (n & 255)) - 1 << (at & 255) & (1 << 8 * size) - 1
        return y & ~mask | x << (at & 255) & mask

    def run(t):
        out = numpy.frompyfunc(one, 4, 1)(*[
            numpy.asarray(f(t)).astype(object) for f in (a, b, begin, length)])
        target(t, numpy.asarray(out).astype(kinds.dtype_of(kind)))
    return run


@makes('prmt')
def permute(statement):
    kind = _bits(statement)
    statement.end(4)
    if kind != 'b32':
        raise statement.unknown()
    target = statement.target(0, kind)
    sources = [statement.source(i, kind) for i in (1, 2, 3)]

    def run(t):
        a, b, choice = [numpy.asarray(f(t)).astype('u8') for f in sources]
        both, out = a | b << numpy.uint64(32), numpy.uint64(0)
        for i in range(4):
            each = choice >> numpy.uint64(4 * i)
            byte = both >> (each & numpy.uint64(7)) * numpy.uint64(8) & numpy.uint64(255)
            signs = numpy.where(byte & numpy.uint64(128), 255, 0).astype('u8')
            byte = numpy.where(each & numpy.uint64(8), signs, byte)
            out = out | byte << numpy.uint64(8 * i)
        target(t, out.astype('u4'))
    return run


@makes('shf')
def funnel(statement):
    to = statement.one_of('l', 'r')
    how = statement.one_of('wrap', 'clamp')
    kind = _bits(statement)
    statement.end(4)
    if kind != 'b32' or to is None or how is None:
        raise statement.unknown()
    target = statement.target(0, kind)
    sources = [statement.source(1, kind), statement.source(2, kind),
               statement.source(3, 'u32')]

    def run(t):
        low, high, n = [numpy.asarray(f(t)).astype('u8') for f in sources]
        n = numpy.minimum(n, 32) if how == 'clamp' else n & numpy.uint64(31)
        both = low | high << numpy.uint64(32)
        out = both << n >> numpy.uint64(32) if to == 'l' else both >> n
        target(t, out.astype('u4'))
    return run


@makes('lop3')
def any_logic(statement):
    kind = _bits(statement)
    statement.end(5)
    if kind != 'b32' or statement.operands[4][0] != 'i':
        raise statement.unknown()
    table = statement.operands[4][1]
    target = statement.target(0, kind)
    sources = [statement.source(i, kind) for i in (1, 2, 3)]

    def run(t):
        a, b, c = [f(t) for f in sources]
        out = numpy.uint32(0)
        for i in range(8):
            if table >> i & 1:
                out = out | ((a if i & 4 else ~a) & (b if i & 2 else ~b)
                             & (c if i & 1 else ~c))
        target(t, out)
    return run
