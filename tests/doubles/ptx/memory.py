"""Memory of interpreted kernels: what may be addressed, by whom, how aligned.

Global memory is a list of regions, each with its first address; what lies between them
is not there. The other spaces have their own addresses from zero, for each thread or
block anew, and windows in which generic addresses see them.
"""
import bisect

import numpy

from tests.doubles.ptx import kinds
from tests.doubles.ptx.faults import Fault

# Where generic addresses of spaces begin; the host has none so high.
WINDOWS = {'shared': 1 << 60, 'local': 1 << 61}
WINDOW_SIZE = 1 << 32
# Where the variables of a module are.
MODULE = 1 << 58


def _check_aligned(addresses, size, text):
    if (addresses & numpy.uint64(size - 1)).any():
        bad = addresses[(addresses & numpy.uint64(size - 1)) != 0][0]
        raise Fault('misaligned address %#x for %d bytes: %s' % (bad, size, text))


class Region:
    """Bytes of global memory from an address on."""

    def __init__(self, address, data, name='memory', writable=True):
        self.address, self.size, self.name = address, len(data), name
        self.writable = writable
        self._front = address % 16
        padded = -(-(self._front + self.size) // 16) * 16
        self._bytes = numpy.zeros(padded, 'u1')
        self.data = self._bytes[self._front:self._front + self.size]
        self.data[:] = numpy.frombuffer(data, 'u1')
        self._views = {}

    def view(self, size):
        """Return all of it as integers of a size, and the address of the first."""
        if size not in self._views:
            self._views[size] = self._bytes.view(kinds.bits(size))
        return self._views[size], self.address - self._front


class Global:
    """Regions of memory that all threads see."""

    def __init__(self, regions):
        self.regions = sorted(regions, key=lambda region: region.address)
        self._first = [region.address for region in self.regions]
        for one, other in zip(self.regions, self.regions[1:], strict=False):
            if one.address + one.size > other.address:
                raise ValueError('regions at %#x and %#x overlap' % (
                    one.address, other.address))

    def _region(self, low, high, text):
        i = bisect.bisect_right(self._first, low) - 1
        if i >= 0 and high <= self._first[i] + self.regions[i].size:
            return self.regions[i]
        near = self.regions[i] if i >= 0 else None
        raise Fault('illegal address %#x, %s: %s' % (
            low, 'no memory is below it' if near is None else
            '%d bytes behind the first of %d of %s' % (
                low - near.address, near.size, near.name), text))

    def groups(self, addresses, size, text):
        """Yield (region, index of its integers, which of the addresses, or None)."""
        _check_aligned(addresses, size, text)
        low, high = int(addresses.min()), int(addresses.max()) + size
        i = bisect.bisect_right(self._first, low) - 1
        if i >= 0 and high <= self._first[i] + self.regions[i].size:
            yield self._group(self.regions[i], addresses, size), None
            return
        owners = numpy.searchsorted(
            numpy.array(self._first, 'u8'), addresses, 'right') - 1
        for owner in numpy.unique(owners):
            which = numpy.flatnonzero(owners == owner)
            part = addresses[which]
            # The address that is out of bounds is the one to name.
            for address in (int(part.min()), int(part.max())):
                region = self._region(address, address + size, text)
            yield self._group(region, part, size), which

    @staticmethod
    def _group(region, addresses, size):
        _, first = region.view(size)
        return region, ((addresses - numpy.uint64(first)) >> numpy.uint64(
            size.bit_length() - 1)).astype(numpy.int64)


class Space:
    """Memory of a space, with one copy for each of some owners.

    Parameters
    ----------
    size : int
        Bytes of one copy.
    owners : int
    filling : int
        A byte: what memory holds before it is written.
    """

    def __init__(self, size, owners, filling=0xff):
        self.size = size
        self._stride = max(-(-size // 16) * 16, 16)
        self._bytes = numpy.full(owners * self._stride, filling, 'u1')

    def copies(self):
        """Return the bytes, a line for each owner."""
        return self._bytes.reshape(-1, self._stride)[:, :self.size]

    def index(self, owners, addresses, size, text):
        """Return the integers of so many bytes, and the index of each address."""
        _check_aligned(addresses, size, text)
        if int(addresses.max()) + size > self.size:
            raise Fault('address %#x for %d bytes, of a space of %d: %s' % (
                int(addresses.max()), size, self.size, text))
        places = (owners * self._stride + addresses.astype(numpy.int64)) // size
        return self._bytes.view(kinds.bits(size)), places
