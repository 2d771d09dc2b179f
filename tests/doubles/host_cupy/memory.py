"""Memory of the stand-in's arrays by its address.

An array of NumPy has the bytes of each array of the stand-in. The place of the array on
the card is another thing: a part of a *block*, which CUDA gave to a pool or to the
program. So a block can be given back, or handed out twice, as on a card, and the
stand-in knows of it, while the addresses of the bytes remain true.
"""
import contextlib
import ctypes
import threading
import weakref

import numpy

from tests.doubles.host_cupy import card, device

# All memory whose addresses are a device's.
_known = weakref.WeakSet()
_lock = threading.Lock()

# Of memory that the pool of CuPy hands out.
_ALIGNMENT = 512


def at(address, dtype, shape, strides):
    """Return an array of NumPy at an address; the strides count elements."""
    size = 1 + sum([(n - 1) * s for n, s in zip(shape, strides, strict=True)])
    flat = numpy.frombuffer(
        (ctypes.c_char * (size * dtype.itemsize)).from_address(address), dtype)
    return numpy.lib.stride_tricks.as_strided(
        flat, shape, [s * dtype.itemsize for s in strides])


def containing(address):
    """Return the memory of a device that an address is in, or None.

    A device's addresses are those of the arrays and pointers that there are.
    """
    with _lock:
        known = list(_known)
    for memory in known:
        if memory.begin <= address < memory.begin + memory.size:
            return memory
    return None


def device_of(address):
    """Return the number of the device that an address is on, -1 for the host's."""
    memory = containing(address)
    return -1 if memory is None else memory.device_id


class Block:
    """Memory as the card gave it.

    Attributes
    ----------
    is_gone : bool
        Whether it has been given back.
    parts : weakref.WeakSet
        The memory of arrays in it.
    """

    def __init__(self):
        self.is_gone, self.parts = False, weakref.WeakSet()


class BaseMemory:
    """Bytes of a device.

    Attributes
    ----------
    block : Block or None
        What it is part of; None for memory that nobody allocated.
    place : int
        Where it begins in the block.
    is_captured : bool
        Whether it was made while a stream captured.
    """

    block, place, is_captured = None, 0, False

    def __init__(self, size, device_id):
        self.size, self.device_id = size, device_id
        self.begin, self._host = 0, None

    def hold(self, host):
        """Let an array of NumPy have the bytes; False if they are elsewhere already."""
        if self._host is not None:
            return False
        if host.size:
            self.begin, end = numpy.lib.array_utils.byte_bounds(host)
            self.size = end - self.begin
        self._host = host
        with _lock:
            _known.add(self)
        return True

    @property
    def ptr(self):
        if self._host is None and self.size:
            host = numpy.full(self.size + _ALIGNMENT, 0xff, 'B')
            begin = -host.ctypes.data % _ALIGNMENT
            self.hold(host[begin:begin + self.size])
        return self.begin

    @property
    def device(self):
        return device.Device(self.device_id)

    def bytes(self):
        kind = ctypes.c_char * self.size
        # NumPy takes no strides beside the address 0, which memory without bytes has.
        return kind.from_address(self.ptr) if self.size else kind()

    def bytes_of_host(self):
        """Return what keeps the bytes."""
        return self._host

    def spoil(self):
        """Overwrite the bytes, as others do whose they are now."""
        if self._host is not None and self.size:
            ctypes.memset(self.begin, 0xff, self.size)

    def overlaps(self, place, size):
        """Return whether it has some of the bytes of its block from ``place`` on."""
        return self.place < place + size and place < self.place + self.size


class Memory(BaseMemory):
    """Memory that the card gave; it is given back when nobody has it any more."""

    def __init__(self, size):
        super().__init__(size, device.current())
        self._taken = 0
        self.block = Block()
        if size:
            card.current().take(size)
            self._taken = size

    def free(self):
        if self._taken:
            card.of(self.device_id).give_back(self._taken)
            self._taken, self.block.is_gone = 0, True
            for part in list(self.block.parts):
                part.spoil()

    def __del__(self):
        self.free()


class UnownedMemory(BaseMemory):
    """Bytes at an address, and what keeps them."""

    def __init__(self, ptr, size, owner, device_id=-1):
        super().__init__(size, device_of(ptr) if device_id < 0 else device_id)
        if self.device_id < 0:
            raise RuntimeError('cudaErrorInvalidValue: not an address of a device')
        self.begin, self._host = ptr, owner
        with _lock:
            _known.add(self)


class MemoryPointer:
    """A place in the memory of a device."""

    def __init__(self, mem, offset):
        self.mem, self._offset, self.device_id = mem, offset, mem.device_id

    @property
    def ptr(self):
        return self.mem.ptr + self._offset

    @property
    def device(self):
        return self.mem.device

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return MemoryPointer(self.mem, self._offset + offset)

    def __sub__(self, offset):
        return self + -offset


class _Thread(threading.local):
    pools = True


_thread = _Thread()
#: Returns a pointer to so many bytes, by the current allocator; set by the pools.
allocator = []


@contextlib.contextmanager
def without_pools():
    """Take no memory for new arrays: a launched graph has all that it needs."""
    before, _thread.pools = _thread.pools, False
    try:
        yield
    finally:
        _thread.pools = before


def of_array(host):
    """Return memory of the current device for a new array, and where its bytes are.

    Parameters
    ----------
    host : numpy.ndarray
        The bytes, unless the allocator has a place for them.
    """
    if not _thread.pools:
        return None, host
    pointer = allocator[0](host.nbytes)
    if not pointer._offset and pointer.mem.hold(host):
        return pointer.mem, host
    found = numpy.ndarray(host.shape, host.dtype, pointer.mem.bytes(), pointer._offset)
    found[...] = host
    return pointer.mem, found
