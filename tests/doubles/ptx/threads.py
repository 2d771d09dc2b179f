"""Threads of some blocks in a function, all at once: an array for each register.

Those that are first in the text go on first, until they come to where others wait, so
that branches meet again. A barrier is passed when all threads of the block that have
not ended wait at it.
"""
import numpy

from tests.doubles.ptx import decode, kinds
from tests.doubles.ptx.faults import Fault, Unknown

# Instructions of a launch: more is taken for a loop without end.
MOST_STEPS = 3_000_000


class Threads:
    """Threads in a function.

    Parameters
    ----------
    launch : ~tests.doubles.ptx.launch.Launch
        What they are part of.
    function : ~tests.doubles.ptx.text.Function
    lanes : numpy.ndarray
        Their numbers among the threads that run at once.
    spaces : dict
        The memory of parameters, as :class:`~.memory.Space`, by name.

    Attributes
    ----------
    m : numpy.ndarray or None
        The threads that an instruction is for; None for all.
    """

    def __init__(self, launch, function, lanes, spaces):
        self.launch, self.function, self.lanes = launch, function, lanes
        self.count = len(lanes)
        self.spaces = dict(spaces)
        self.registers = {}
        self.carry = None
        self.m = None
        for variable in function.variables:
            if variable.space in ('local', 'param'):
                self.spaces[variable.name] = launch.space(variable, self.count)

    def register(self, name):
        """Return the array of a register that is to be written."""
        found = self.registers.get(name)
        if found is None:
            dtype = kinds.dtype_of(self.function.registers[name])
            found = self.registers[name] = numpy.zeros(self.count, dtype)
        return found

    def active(self):
        """Return how many threads an instruction is for."""
        return self.count if self.m is None else len(self.m)

    def active_lanes(self):
        return self.lanes if self.m is None else self.lanes[self.m]

    def parameter(self, name, where):
        """Return the memory of a parameter, and which copy each thread has."""
        if name not in self.spaces:
            raise Unknown('parameter %r: %s' % (name, where))
        space, is_shared = self.spaces[name]
        owners = self.owners()
        return space, owners * 0 if is_shared else owners

    def read_carry(self, where):
        """Return the carries of the last instruction that made some."""
        if self.carry is None:
            raise Fault('no carry: %s' % where)
        return self.carry if self.m is None else self.carry[self.m]

    def write_carry(self, value):
        if self.carry is None:
            self.carry = numpy.zeros(self.count, bool)
        self.carry[slice(None) if self.m is None else self.m] = value

    def owners(self):
        """Return the numbers of the threads an instruction is for, in this function."""
        return numpy.arange(self.count) if self.m is None else self.m

    def run(self):
        """Run until all threads have ended."""
        code = decode.decoded(self.function)
        end = len(code)
        places = numpy.zeros(self.count, numpy.int64)
        waiting = numpy.zeros(self.count, bool)
        while True:
            ready = numpy.where(waiting, end + 1, places)
            at = int(ready.min())
            if at >= end:
                if not waiting.any():
                    return
                self._release(code, places, waiting, end)
                continue
            now = numpy.flatnonzero(ready == at)
            everyone = len(now) == self.count
            others = ready[ready > at] if not everyone else now[:0]
            limit = min(int(others.min()) if len(others) else end, end)
            self._run_together(
                code, at, limit, None if everyone else now, places, waiting)

    def _run_together(self, code, at, limit, now, places, waiting):
        """Run threads at one place until they part, wait, or meet others."""
        steps = self.launch
        while at < limit:
            steps.left -= 1
            if steps.left < 0:
                raise Fault('more than %d instructions: a loop without end?'
                            % MOST_STEPS)
            instruction = code[at]
            taken = self.m = now
            if instruction.guard is not None:
                holds = instruction.guard(self)
                if not holds.any():
                    at += 1
                    continue
                if not holds.all():
                    taken = numpy.flatnonzero(holds) if now is None else now[holds]
            if instruction.jump is not None:
                self.m = taken
                target = instruction.jump(self)
                if taken is now and isinstance(target, int):
                    at = target
                    continue
                places[slice(None) if now is None else now] = at + 1
                places[slice(None) if taken is None else taken] = target
                return
            if instruction.collective is not None:
                if taken is not now:
                    places[slice(None) if now is None else now] = at + 1
                    places[taken] = at
                else:
                    places[slice(None) if now is None else now] = at
                waiting[slice(None) if taken is None else taken] = True
                return
            self.m = taken
            instruction.run(self)
            at += 1
        places[slice(None) if now is None else now] = at

    def _release(self, code, places, waiting, end):
        """Let threads go on that all wait for each other."""
        launch = self.launch
        released = False
        held = numpy.flatnonzero(waiting)
        for at in numpy.unique(places[held]):
            instruction = code[at]
            these = held[places[held] == at]
            self.m = these
            complete = (self._whole_blocks if instruction.collective == 'block'
                        else self._whole_warps)(instruction, these, places, end)
            if not complete.any():
                continue
            go = these[complete]
            self.m = None if len(go) == self.count else go
            instruction.run(self)
            passed = (launch.block_times if instruction.collective == 'block' else
                      launch.warp_times)
            if instruction.orders:
                passed[self.lanes[go]] += 1
            places[go] = at + 1
            waiting[go] = False
            released = True
        if not released:
            raise Fault('threads wait for others that do not come: %s' % sorted(
                {code[at].text for at in places[held]}))

    def _whole_blocks(self, instruction, these, places, end):
        """Return which threads are of blocks that wait, but for those that ended."""
        launch = self.launch
        if self.count != launch.count:
            raise Unknown('a barrier of the block in a function that is called: %s'
                          % instruction.text)
        blocks = launch.block[self.lanes]
        arrived = numpy.bincount(blocks[these], minlength=launch.blocks)
        ended = numpy.bincount(blocks[places >= end], minlength=launch.blocks)
        return (arrived + ended == launch.block_size)[blocks[these]]

    def _whole_warps(self, instruction, these, places, end):
        """Return which threads are of warps whose named threads all wait here."""
        launch = self.launch
        members = numpy.broadcast_to(instruction.members(self), len(these))
        warps = launch.warp[self.lanes[these]]
        bit = numpy.uint32(1) << launch.special('laneid')[self.lanes[these]]
        if (members & bit == 0).any():
            raise Fault('a thread that the mask does not name: %s' % instruction.text)
        arrived = numpy.zeros(launch.warps, 'u4')
        numpy.bitwise_or.at(arrived, warps, bit)
        # Lanes that the warp of a small block does not have count for nothing.
        return arrived[warps] == members & launch.lanes_of_warps[warps]
