"""Instructions of threads together: barriers, and what lanes of a warp exchange."""
import numpy

from tests.doubles.ptx import kinds
from tests.doubles.ptx.decode import makes
from tests.doubles.ptx.faults import Fault
from tests.doubles.ptx.moves import SCOPES

_REDUCTIONS = {'add': numpy.add, 'min': numpy.minimum, 'max': numpy.maximum,
               'and': numpy.bitwise_and, 'or': numpy.bitwise_or,
               'xor': numpy.bitwise_xor}


def _nothing(t):
    """What orders threads changes no register."""


@makes('bar', 'barrier')
def barrier(statement):
    statement.has('cta')
    if statement.has('warp'):
        if not statement.has('sync'):
            raise statement.unknown()
        statement.end(1)
        statement.out.collective, statement.out.orders = 'warp', True
        statement.out.members = statement.source(0, 'b32')
        return _nothing
    how = statement.one_of('sync', 'red')
    statement.out.collective, statement.out.orders = 'block', True
    if how == 'sync':
        statement.has('aligned')
        statement.end(1)
        _check_zero(statement, 0)
        return _nothing
    if how != 'red':
        raise statement.unknown()
    statement.has('aligned')
    what = statement.one_of('popc', 'and', 'or')
    kind = statement.kind()
    statement.end(3)
    if what is None or kind != ('u32' if what == 'popc' else 'pred'):
        raise statement.unknown()
    _check_zero(statement, 1)
    target, source = statement.target(0, kind), statement.source(2, 'pred')

    def run(t):
        block = t.launch.block[t.active_lanes()]
        counts = numpy.bincount(block, source(t) * 1., t.launch.blocks)[block]
        if what == 'popc':
            target(t, counts.astype('u4'))
        elif what == 'or':
            target(t, counts > 0)
        else:
            target(t, counts == numpy.bincount(block, minlength=t.launch.blocks)[block])
    return run


def _check_zero(statement, i):
    """Refuse barriers of a part of the block."""
    if statement.operands[i] != ('i', 0):
        raise statement.unknown()


@makes('membar', 'fence')
def fence(statement):
    statement.one_of('sc', 'acq_rel')
    if statement.one_of('gl', *SCOPES) is None:
        raise statement.unknown()
    statement.end(0)
    return _nothing


@makes('activemask')
def active_mask(statement):
    if statement.kind() != 'b32':
        raise statement.unknown()
    statement.end(1)
    target = statement.target(0, 'b32')

    def run(t):
        warp, bit = _warps(t)
        target(t, _ors(t, warp, bit)[warp])
    return run


def _warps(t):
    """Return the warp of each thread, and the bit of its lane."""
    lanes = t.active_lanes()
    return t.launch.warp[lanes], numpy.uint32(1) << t.launch.special('laneid')[lanes]


def _ors(t, warp, values):
    out = numpy.zeros(t.launch.warps, 'u4')
    numpy.bitwise_or.at(out, warp, values)
    return out


def _of_warp(statement, kind, source_kind):
    """Return the target and source of an instruction of the lanes that a mask names."""
    statement.out.collective = 'warp'
    statement.out.members = statement.source(2, 'b32')
    return statement.target(0, kind), statement.source(1, source_kind)


@makes('vote')
def vote(statement):
    if not statement.has('sync'):
        raise statement.unknown()
    what = statement.one_of('all', 'any', 'uni', 'ballot')
    kind = statement.kind()
    statement.end(3)
    if what is None or kind != ('b32' if what == 'ballot' else 'pred'):
        raise statement.unknown()
    target, source = _of_warp(statement, kind, 'pred')

    def run(t):
        warp, bit = _warps(t)
        votes = _ors(t, warp, numpy.where(source(t), bit, numpy.uint32(0)))[warp]
        all_of_them = _ors(t, warp, bit)[warp]
        target(t, {'ballot': votes, 'any': votes != 0, 'all': votes == all_of_them,
                   'uni': (votes == all_of_them) | (votes == 0)}[what])
    return run


@makes('shfl')
def shuffle(statement):
    if not statement.has('sync'):
        raise statement.unknown()
    how = statement.one_of('up', 'down', 'bfly', 'idx')
    kind = statement.kind()
    statement.end(5)
    if how is None or kind != 'b32':
        raise statement.unknown()
    to, inside = statement.operands[0], None
    if to[0] == 'pair':
        inside = statement.write(to[2], 'pred')
        to = to[1]
    target, source = statement.write(to, kind), statement.source(1, kind)
    by, clamp = statement.source(2, 'b32'), statement.source(3, 'b32')
    statement.out.collective = 'warp'
    statement.out.members = statement.source(4, 'b32')

    def run(t):
        lanes = t.active_lanes()
        lane = t.launch.special('laneid')[lanes].astype('i8')
        n = numpy.broadcast_to(by(t), len(lanes)).astype('i8') & 31
        c = numpy.broadcast_to(clamp(t), len(lanes)).astype('i8')
        segment, bound = c >> 8 & 31, c & 31
        most = (lane & segment) | (bound & ~segment)
        least = lane & segment
        other = {'up': lane - n, 'down': lane + n, 'bfly': lane ^ n,
                 'idx': least | (n & ~segment)}[how]
        fits = other >= most if how == 'up' else other <= most
        other = numpy.where(fits, other, lane)
        values = numpy.broadcast_to(source(t), len(lanes))
        places = numpy.full(t.launch.count, -1)
        places[lanes] = numpy.arange(len(lanes))
        wanted = lanes - lane + other
        if (wanted >= t.launch.count).any() or (places[wanted] < 0).any():
            raise Fault('a value of a lane that takes no part: %s' % statement.text)
        target(t, values[places[wanted]])
        if inside is not None:
            inside(t, fits)
    return run


@makes('redux')
def reduce(statement):
    if not statement.has('sync'):
        raise statement.unknown()
    what = statement.one_of(*_REDUCTIONS)
    kind = statement.kind()
    statement.end(3)
    if what is None or kind not in ('u32', 's32', 'b32'):
        raise statement.unknown()
    target, source = _of_warp(statement, kind, kind)

    def run(t):
        warp, _ = _warps(t)
        values = numpy.broadcast_to(source(t), len(warp))
        out = numpy.zeros(t.launch.warps, values.dtype)
        # Each of the warps begins with one of its own.
        out[warp] = values
        if what in ('add', 'xor'):
            out[:] = 0
        _REDUCTIONS[what].at(out, warp, values)
        target(t, out[warp].astype(kinds.dtype_of(kind)))
    return run
