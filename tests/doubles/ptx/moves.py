"""Instructions that move: values, places in the text, memory."""
import numpy

from tests.doubles.ptx import kinds, races
from tests.doubles.ptx.decode import makes
from tests.doubles.ptx.faults import Fault, Unknown

SPACES = 'global', 'shared', 'local', 'param', 'const'
SCOPES = 'cta', 'gpu', 'sys'
# What says how long a cache keeps something.
_CACHES = ('ca', 'cg', 'cs', 'lu', 'cv', 'wb', 'wt', 'L1::no_allocate',
           'L1::evict_last', 'L1::evict_first', 'L2::128B', 'L2::256B', 'L2::64B')


@makes('mov')
def move(statement):
    kind = statement.kind()
    statement.end(2)
    to, source = statement.operands
    if 'list' not in (to[0], source[0]):
        target, value = statement.target(0, kind), statement.source(1, kind)
        return lambda t: target(t, value(t))
    parts = (to if to[0] == 'list' else source)[1]
    size = kinds.size_of(kind)
    if kind[0] != 'b' or size % len(parts) or to[0] == source[0]:
        raise statement.unknown()
    part, whole = 'b%d' % (8 * size // len(parts)), kinds.dtype_of(kind)
    shifts = [whole.type(8 * size // len(parts) * i) for i in range(len(parts))]
    if to[0] == 'list':
        targets = [statement.write(each, part) for each in parts]
        value, narrow = statement.source(1, kind), kinds.dtype_of(part)

        def unpack(t):
            x = value(t)
            for target, shift in zip(targets, shifts, strict=True):
                target(t, (x >> shift).astype(narrow))
        return unpack
    values = [statement.read(each, part) for each in parts]
    target = statement.target(0, kind)

    def pack(t):
        out = whole.type(0)
        for value, shift in zip(values, shifts, strict=True):
            out = out | value(t).astype(whole) << shift
        target(t, out)
    return pack


@makes('cvta')
def convert_address(statement):
    to = statement.has('to')
    space = statement.one_of(*SPACES)
    kind = statement.kind()
    statement.end(2)
    if kind != 'u64' or space is None:
        raise statement.unknown()
    target, source = statement.target(0, kind), statement.source(1, kind)
    return lambda t: target(t, t.launch.other_address(
        space, numpy.asarray(source(t)), to, statement.text))


class Place:
    """The operand of an instruction that uses memory."""

    def __init__(self, statement, operand, space):
        if operand[0] != 'at':
            raise statement.unknown()
        self.space, self.text = space, statement.text
        _, base, self._offset = operand
        self.name = None
        registers = statement.function.registers
        if base[0] == 'name' and base[1] not in registers:
            self.name = base[1]
            self._offset += base[2]
            if space is None:
                raise Unknown('a name without its space: %s' % self.text)
        else:
            if base[0] == 'name':
                wide = kinds.size_of(registers[base[1]])
            else:
                wide = 8
            if wide == 4 and space not in ('shared', 'local'):
                raise statement.unknown()
            self._read = statement.read(base, 'u%d' % (8 * wide))

    def addresses(self, t):
        """Return an address for each of the threads."""
        if self.name is not None:
            base = t.launch.address(t, self.name, self.text)
            return numpy.full(t.active(), base + self._offset, 'u8')
        base = numpy.broadcast_to(self._read(t), t.active()).astype('u8')
        return base + numpy.uint64(self._offset & (1 << 64) - 1)

    def parts(self, t, size, kind, step=None, offset=0):
        """Yield (integers, index, which) of what threads use."""
        if self.space == 'param' and self.name is not None:
            space, owners = t.parameter(self.name, self.text)
            addresses = numpy.full(
                t.active(), self._offset + offset, 'u8')
            yield (*space.index(owners, addresses, size, self.text), None)
            return
        addresses = self.addresses(t)
        if offset == 0 and step and (addresses & numpy.uint64(step - 1)).any():
            raise Fault('misaligned address for %d bytes: %s' % (step, self.text))
        yield from t.launch.use(
            t, self.space, addresses + numpy.uint64(offset), size, kind, self.text)


def _access(statement):
    """Return the space, the kind of use, and the type, of a load or a store."""
    space = statement.one_of(*SPACES)
    constant = statement.name == 'ldu' or statement.has('nc')
    strong = statement.one_of('relaxed', 'acquire', 'release', 'volatile', 'weak')
    statement.one_of(*SCOPES)
    statement.one_of(*_CACHES)
    statement.one_of(*_CACHES)
    vector = statement.one_of('v2', 'v4')
    kind = statement.kind()
    statement.end(2)
    if constant and space != 'global' or kind == 'pred':
        raise statement.unknown()
    if strong in ('relaxed', 'acquire', 'release'):
        use = races.ATOMIC
    elif statement.name == 'st':
        use = races.WRITE
    else:
        use = races.CONSTANT if constant else races.READ
    return space, use, kind, int(vector[1]) if vector else 1


def _values(statement, operand, count):
    if count == 1:
        return [operand]
    if operand[0] != 'list' or len(operand[1]) != count:
        raise statement.unknown()
    return operand[1]


@makes('ld', 'ldu')
def load(statement):
    space, use, kind, count = _access(statement)
    size, dtype = kinds.size_of(kind), kinds.dtype_of(kind)
    targets = [statement.write(each, kind, widens=True) for each in _values(
        statement, statement.operands[0], count)]
    place = Place(statement, statement.operands[1], space)
    step = size * count if count > 1 else None

    def run(t):
        for i, target in enumerate(targets):
            out = None
            for view, index, which in place.parts(t, size, use, step, size * i):
                if which is None:
                    out = view[index]
                    break
                if out is None:
                    out = numpy.zeros(t.active(), view.dtype)
                out[which] = view[index]
            target(t, out.view(dtype))
    return run


@makes('st')
def store(statement):
    space, use, kind, count = _access(statement)
    size = kinds.size_of(kind)
    sources = [statement.read(each, kind, widens=True) for each in _values(
        statement, statement.operands[1], count)]
    if space == 'const':
        raise statement.unknown()
    place = Place(statement, statement.operands[0], space)
    step = size * count if count > 1 else None
    flat = kinds.bits(size)

    def run(t):
        for i, source in enumerate(sources):
            values = numpy.broadcast_to(source(t), t.active()).view(flat)
            for view, index, which in place.parts(t, size, use, step, size * i):
                view[index] = values if which is None else values[which]
            if space in (None, 'global'):
                t.launch.stores.append((
                    kind, place.addresses(t) + numpy.uint64(size * i)))
    return run


@makes('bra')
def branch(statement):
    statement.has('uni')
    statement.end(1)
    label = statement.operands[0]
    if label[0] != 'name' or label[1] not in statement.function.labels:
        raise statement.unknown()
    place = statement.function.labels[label[1]]
    statement.out.jump = lambda t: place


@makes('brx')
def indexed_branch(statement):
    if not statement.has('idx'):
        raise statement.unknown()
    statement.has('uni')
    statement.end(2)
    function, table = statement.function, statement.operands[1]
    if table[0] != 'name' or table[1] not in function.tables:
        raise statement.unknown()
    places = numpy.array([function.labels[name] for name in function.tables[table[1]]])
    source = statement.source(0, 'u32')

    def jump(t):
        index = numpy.broadcast_to(source(t), t.active())
        if (index >= len(places)).any():
            raise Fault('no target %d: %s' % (index.max(), statement.text))
        return places[index]
    statement.out.jump = jump


@makes('ret', 'exit')
def leave(statement):
    statement.has('uni')
    statement.end(0)
    if statement.name == 'exit' and statement.function.kind != 'entry':
        raise statement.unknown()
    end = len(statement.function.instructions)
    statement.out.jump = lambda t: end


@makes('trap')
def trap(statement):
    statement.end(0)

    def run(t):
        raise Fault('trap')
    return run


@makes('call')
def call(statement):
    statement.has('uni')
    statement.end(len(statement.operands))
    operands = list(statement.operands)
    results = operands.pop(0)[1] if operands[0][0] == 'list' else []
    if not operands or operands[0][0] != 'name' or len(operands) > 2:
        raise statement.unknown()
    name = operands[0][1]
    values = operands[1][1] if len(operands) == 2 else []
    names = [each[1] for each in (*values, *results)]
    return lambda t: t.launch.call(t, name, names, len(values), statement.text)
