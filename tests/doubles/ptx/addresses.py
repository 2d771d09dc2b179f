"""Which memory the threads of a launch use, and a record of it."""
import numpy

from tests.doubles.ptx import memory, races
from tests.doubles.ptx.faults import Fault


class Addresses:
    """The part of a launch that finds memory by its address."""

    def other_address(self, space, addresses, to_space, where):
        """Return generic addresses as those of a space, or the other way round."""
        window = memory.WINDOWS.get(space)
        if window is None:
            return addresses
        if not to_space:
            return addresses + numpy.uint64(window)
        out = addresses - numpy.uint64(window)
        if (out >= memory.WINDOW_SIZE).any():
            raise Fault('a generic address that is not in .%s: %s' % (space, where))
        return out

    def use(self, t, space, addresses, size, kind, where):
        """Yield (integers, index, which) of what threads use, and note the use."""
        lanes = t.active_lanes()
        if space is not None:
            yield from self._use(space, lanes, addresses, size, kind, where, None)
            return
        window = numpy.minimum(addresses >> numpy.uint64(60), 2)
        for i, name in enumerate(('global', 'shared', 'local')):
            which = numpy.flatnonzero(window == i)
            if len(which):
                yield from self._use(
                    name, lanes[which],
                    self.other_address(name, addresses[which], True, where), size, kind,
                    where, which)

    def _use(self, space, lanes, addresses, size, kind, where, which):
        times = (self.block[lanes] + self.first, self.block_times[lanes],
                 self.warp_times[lanes])
        who = (lanes + self.first * self.block_size, times[0],
               self.warp[lanes] + self.first * -(-self.block_size // 32), *times[1:])
        if space == 'shared':
            self._shared_log.note(
                kind, addresses + (times[0].astype('u8') << numpy.uint64(32)), size,
                who[0], who[1:], where)
            view, index = self._shared.index(
                self.block[lanes], addresses, size, where)
            yield view, index, which
        elif space == 'local':
            yield from self._use_local(lanes, addresses, size, where, which)
        elif space == 'param':
            yield from self._use_parameters(addresses, size, where, which)
        else:
            if kind != races.READ or space != 'const':
                self._global_log.note(kind, addresses, size, who[0], who[1:], where)
            for (region, index), part in self.memory.groups(addresses, size, where):
                if not region.writable and kind in (races.WRITE, races.ATOMIC):
                    raise Fault('%s is written: %s' % (region.name, where))
                if part is not None and which is not None:
                    part = which[part]
                yield region.view(size)[0], index, which if part is None else part

    def _use_local(self, lanes, addresses, size, where, which):
        numbers = addresses >> numpy.uint64(24)
        for number in numpy.unique(numbers):
            these = numpy.flatnonzero(numbers == number)
            if number >= len(self._locals):
                raise Fault('no local memory at %#x: %s' % (addresses[these[0]], where))
            space, rows = self._locals[int(number)]
            owners = rows[lanes[these]]
            if (owners < 0).any():
                raise Fault('local memory of another thread: %s' % where)
            view, index = space.index(
                owners, addresses[these] & numpy.uint64(0xffffff), size, where)
            whole = len(these) == len(lanes)
            yield view, index, which if whole else (
                these if which is None else which[these])

    def _use_parameters(self, addresses, size, where, which):
        numbers = addresses >> numpy.uint64(16)
        for number in numpy.unique(numbers):
            these = numpy.flatnonzero(numbers == number)
            if number >= len(self._parameters):
                raise Fault('no parameter at %#x: %s' % (addresses[these[0]], where))
            view, index = self._parameters[int(number)].index(
                numpy.zeros(len(these), 'i8'),
                addresses[these] & numpy.uint64(0xffff), size, where)
            whole = len(these) == len(addresses)
            yield view, index, which if whole else (
                these if which is None else which[these])
