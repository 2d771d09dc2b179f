"""Races: two threads use one byte, one of them writes, and nothing orders the two.

What orders two uses is a barrier of the block that both threads passed in between, or
one of their warp. Nothing orders threads of different blocks. Atomic operations do not
race with each other. Memory that is read through the cache that knows no writes
(``ld.global.nc``) must not be written by any thread.

It cannot know of locks, nor of flags that blocks wait for: these are reported as races.
"""
import numpy

READ, WRITE, ATOMIC, CONSTANT = range(4)


class Log:
    """Uses of one kind of memory.

    Parameters
    ----------
    blocks : bool
        Whether threads of different blocks see the same memory.
    """

    def __init__(self, blocks):
        self._blocks = blocks
        self._uses = []

    def note(self, kind, addresses, size, threads, times, text):
        """Add a use by some threads.

        Parameters
        ----------
        kind : {READ, WRITE, ATOMIC, CONSTANT}
        addresses : numpy.ndarray of uint64
        size : int
            Bytes of each.
        threads : numpy.ndarray of int64
        times : tuple of numpy.ndarray
            For each of the threads its block, warp, and how many barriers of the two
            it has passed.
        text : str
            The instruction.
        """
        self._uses.append((kind, addresses, size, threads, *times, text))

    def find(self):
        """Return a sentence for each pair of instructions that race, and forget all."""
        uses, self._uses = self._uses, []
        if all(use[0] in (READ, CONSTANT) for use in uses):
            return []
        sizes = {use[2] for use in uses}
        # Bytes of their own only where sizes mix.
        step = sizes.pop() if len(sizes) == 1 else 1
        columns = [[] for _ in range(8)]
        for i, (kind, addresses, size, *who, _) in enumerate(uses):
            for offset in range(0, size, step):
                new = (addresses + numpy.uint64(offset), *who)
                for column, values in zip(columns, new, strict=False):
                    column.append(values)
                columns[6].append(numpy.full(len(addresses), kind, 'i1'))
                columns[7].append(numpy.full(len(addresses), i, 'i8'))
        address, thread, block, warp, block_time, warp_time, kind, use = [
            numpy.concatenate(column) for column in columns]
        checks = [((address, warp, block_time, warp_time), thread),
                  ((address, block, block_time), warp)]
        if self._blocks:
            checks.append(((address,), block))
        found = []
        for keys, who in checks:
            found += self._racing(keys, who, kind, use)
        found += self._stale(address, kind, use)
        texts = [each[-1] for each in uses]
        return sorted({'%s: %s' % (what, ' | '.join(sorted({texts[i] for i in pair})))
                       for what, pair in found})

    @staticmethod
    def _racing(keys, who, kind, use):
        order = numpy.lexsort(keys[::-1])
        new = numpy.zeros(len(order), bool)
        new[0] = True
        for key in keys:
            key = key[order]
            new[1:] |= key[1:] != key[:-1]
        first = numpy.flatnonzero(new)
        who, kind, use = who[order], kind[order], use[order]
        least, most = {}, {}
        for one in (READ, WRITE, ATOMIC):
            these = kind == one
            if one == READ:
                these |= kind == CONSTANT
            least[one] = numpy.minimum.reduceat(
                numpy.where(these, who, numpy.iinfo('i8').max), first)
            most[one] = numpy.maximum.reduceat(numpy.where(these, who, -1), first)
        bad = numpy.zeros(len(first), bool)
        for one, other in ((WRITE, WRITE), (WRITE, READ), (WRITE, ATOMIC),
                           (ATOMIC, READ)):
            both = (most[one] >= 0) & (most[other] >= 0)
            bad |= both & (numpy.minimum(least[one], least[other])
                           != numpy.maximum(most[one], most[other]))
        ends = numpy.append(first[1:], len(order))
        return [('threads race', tuple(numpy.unique(use[first[i]:ends[i]])))
                for i in numpy.flatnonzero(bad)[:4]]

    @staticmethod
    def _stale(address, kind, use):
        constant = kind == CONSTANT
        if not constant.any():
            return []
        written = (kind == WRITE) | (kind == ATOMIC)
        bad = numpy.intersect1d(address[constant], address[written])
        return [('read as constant, and written',
                 tuple(numpy.unique(use[address == one]))) for one in bad[:4]]
