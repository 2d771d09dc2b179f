"""Instructions of bits."""
import numpy

from tests.doubles.ptx import kinds
from tests.doubles.ptx.decode import makes
from tests.doubles.ptx.integers import integer_kind


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
    kind = integer_kind(statement, of_bits=True)
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
    kind = integer_kind(statement, of_bits=True)
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


def _by_element(function, values, size):
    """Return what a function of Python's integers returns, as bits."""
    out = numpy.frompyfunc(function, len(values), 1)(*[
        numpy.asarray(each).astype(object) for each in values])
    return numpy.asarray(out).astype(kinds.bits(size))


@makes('bfe')
def extract(statement):
    kind = integer_kind(statement)
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

    return lambda t: target(t, _by_element(
        one, [f(t) for f in (source, begin, length)], size).view(dtype))


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

    return lambda t: target(t, _by_element(
        one, [f(t) for f in (a, b, begin, length)], size))


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
            place = (each & numpy.uint64(7)) * numpy.uint64(8)
            byte = both >> place & numpy.uint64(255)
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
