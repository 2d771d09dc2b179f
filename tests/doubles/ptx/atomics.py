"""Atomic operations on memory."""
import numpy

from tests.doubles.ptx import kinds, races, rounding
from tests.doubles.ptx.decode import makes
from tests.doubles.ptx.moves import SCOPES, Place

_KINDS = {
    'add': ('u32', 's32', 'u64', 'f32', 'f64', 'f16'),
    'min': ('u32', 's32', 'u64', 's64'), 'max': ('u32', 's32', 'u64', 's64'),
    'and': ('b32', 'b64'), 'or': ('b32', 'b64'), 'xor': ('b32', 'b64'),
    'exch': ('b32', 'b64'), 'cas': ('b16', 'b32', 'b64'), 'inc': ('u32',),
    'dec': ('u32',)}
_OPERATIONS = {
    'add': numpy.add, 'min': numpy.minimum, 'max': numpy.maximum,
    'and': numpy.bitwise_and, 'or': numpy.bitwise_or, 'xor': numpy.bitwise_xor,
    'exch': lambda old, new: new,
    'inc': lambda old, top: numpy.where(old >= top, 0, old + numpy.uint32(1)),
    'dec': lambda old, top: numpy.where(
        (old == 0) | (old > top), top, old - numpy.uint32(1))}


@makes('atom', 'red')
def atomic(statement):
    returns = statement.name == 'atom'
    statement.one_of('relaxed', 'acquire', 'release', 'acq_rel')
    statement.one_of(*SCOPES)
    space = statement.one_of('global', 'shared')
    what = statement.one_of(*_KINDS)
    kind = statement.kind()
    keeps = statement.has('noftz')
    if what is None or kind not in _KINDS[what] or keeps != (kind == 'f16') or (
            not returns and what in ('exch', 'cas')):
        raise statement.unknown()
    place = Place(statement, statement.operands[1 if returns else 0], space)
    first = 2 if returns else 1
    values = [statement.source(first + i, kind) for i in range(1 + (what == 'cas'))]
    statement.end(first + len(values))
    target = statement.target(0, kind) if returns else None
    size, dtype = kinds.size_of(kind), kinds.dtype_of(kind)
    # Of single precision, sums in global memory flush denormal numbers.
    flush = rounding.flush if kind == 'f32' and space != 'shared' else (lambda x: x)

    def apply(view, index, operands):
        """Return what was there, one thread after the other where they meet."""
        if len(numpy.unique(index)) == len(index):
            old = view[index]
            view[index] = changed(old, operands)
            return old
        old = numpy.empty(len(index), dtype)
        for i, at in enumerate(index):
            old[i] = view[at]
            view[at] = changed(view[at:at + 1], [x[i:i + 1] for x in operands])[0]
        return old

    def changed(old, operands):
        if what == 'cas':
            return numpy.where(old == operands[0], operands[1], old)
        if what == 'add' and dtype.kind == 'f':
            return flush(flush(old) + flush(operands[0]))
        return numpy.asarray(_OPERATIONS[what](old, operands[0])).astype(dtype)

    def run(t):
        operands = [numpy.broadcast_to(f(t), t.active()) for f in values]
        out = numpy.empty(t.active(), dtype)
        for view, index, which in place.parts(t, size, races.ATOMIC):
            these = slice(None) if which is None else which
            out[these] = apply(view.view(dtype), index, [x[these] for x in operands])
        if space in (None, 'global'):
            t.launch.stores.append((kind, place.addresses(t)))
        if target is not None:
            target(t, out)
    return run
