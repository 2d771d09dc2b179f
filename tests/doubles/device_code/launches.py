"""A record of launches, to be repeated by other forms of the same kernels.

With the environment variable HOST_CUPY_LAUNCHES=FOLDER, some launches of each kernel
are kept there: its arguments, and the memory that it can reach before and after.
Kernels are those of :mod:`~tests.doubles.host_cupy.instances`. Several processes may
write to one folder.

What memory a kernel can reach is exact for arrays that it is given. Of a raw kernel,
which is given addresses, it is all of the memory that they, and addresses in there, lie
in.
"""
import collections
import contextlib
import ctypes
import gc
import hashlib
import os
import pathlib
import pickle
import threading
import zlib

import numpy

# Launches of a kernel that differ in sizes, in one process.
MOST = 8
# Larger ones are kept of kernels alone that have no others.
THREADS, BYTES = 1 << 12, 1 << 18
MOST_BYTES = 1 << 24

# By kernel, and what launches were like: whether each was large.
_kept = collections.defaultdict(dict)
_keys = {}      # of instances, which they hold


def key_of(instance):
    """Return what tells kernels apart, in letters and digits.

    Parameters
    ----------
    instance : dict
        As :func:`~tests.doubles.host_cupy.instances.record` writes it.
    """
    named = {name: value for name, value in instance.items() if name != 'made_at'}
    return hashlib.sha256(repr(_plain(named)).encode()).hexdigest()[:24]


def _plain(value):
    """Return a value as it comes back from JSON, in an order of its own."""
    if isinstance(value, dict):
        return sorted((name, _plain(each)) for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


@contextlib.contextmanager
def recorded(instance, grid, block, args, shared_memory):
    """Keep the launch that is made in the ``with`` block, if it is to be kept.

    Parameters
    ----------
    instance : dict or None
        The kernel; None if nothing is recorded.
    grid, block, args, shared_memory
        Arguments of :meth:`~tests.doubles.host_cupy.compiler.Kernel.launch`.
    """
    folder = os.environ.get('HOST_CUPY_LAUNCHES')
    if instance is None or not folder:
        yield
        return
    if id(instance) not in _keys:
        _keys[id(instance)] = instance, key_of(instance)
    _, key = _keys[id(instance)]
    kept = _kept[key]
    if len(kept) >= MOST:
        yield
        return
    arrays = _arrays_of(instance, args)
    shape = repr((grid, block, shared_memory, [
        _without_address(each) if i in arrays or not arrays else bytes(each)
        for i, each in enumerate(args)]))
    size = numpy.prod(grid) * numpy.prod(block)
    if shape in kept or kept and size > THREADS:
        yield
        return
    regions = _regions(args, arrays)
    before = [_bytes(*each) for each in regions]
    total = sum(map(len, before))
    is_large = size > THREADS or total > BYTES
    if is_large and kept or total > MOST_BYTES:
        yield
        return
    yield
    after = [_bytes(*each) for each in regions]
    path = pathlib.Path(folder) / key / _digest(shape)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(
        '%s.%d.%d' % (path.name, os.getpid(), threading.get_ident()))
    draft.write_bytes(zlib.compress(pickle.dumps({
        'instance': instance, 'grid': grid, 'block': block,
        'args': [bytes(each) for each in args], 'shared_memory': shared_memory,
        'addresses': [address for address, _ in regions], 'before': before,
        'after': after, 'test': os.environ.get('PYTEST_CURRENT_TEST')}), 1))
    draft.rename(path)
    if not is_large:
        for other in [other for other, large in kept.items() if large]:
            path.with_name(_digest(other)).unlink(missing_ok=True)
            del kept[other]
    kept[shape] = is_large


def read(path):
    """Return what is known of a launch that was kept."""
    return pickle.loads(zlib.decompress(pathlib.Path(path).read_bytes()))


def _digest(shape):
    return hashlib.sha256(shape.encode()).hexdigest()[:16]


def _without_address(arg):
    """Return an argument without the address that it begins with, if it does."""
    begins = len(arg) >= 8 and int.from_bytes(arg[:8], 'little') > 1 << 32
    return bytes(arg[8:] if begins else arg)


def _bytes(address, size):
    return ctypes.string_at(address, size)


def _arrays_of(instance, args):
    """Return the (dtype, number of axes) of the arguments that are arrays."""
    return {i: (kind[1], kind[2]) for i, kind in enumerate(instance['arguments'])
            if kind[0] == 'array'}


def _regions(args, arrays):
    """Return (address, size) of the memory that a kernel can reach, in order."""
    if arrays:
        found = [_extent(args[i], *kind) for i, kind in arrays.items()]
    else:
        found = _reachable(args)
    out = []
    for address, size in sorted(each for each in found if each[1]):
        if out and address < sum(out[-1]):
            out[-1] = out[-1][0], max(sum(out[-1]), address + size) - out[-1][0]
        else:
            out.append((address, size))
    return out


def _extent(arg, dtype, ndim):
    """Return the address and size of what an array of a kernel spans."""
    address, size, *rest = numpy.frombuffer(arg, 'i8').tolist()
    if not size:
        return address, 0
    steps = [(n - 1) * stride for n, stride in zip(
        rest[:ndim], rest[ndim:], strict=True)]
    low, high = sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)
    return address + low, high - low + numpy.dtype(dtype).itemsize


def _memory():
    """Return the first addresses, and the ends, of all memory of arrays."""
    from tests.doubles.host_cupy.array import ndarray
    from tests.doubles.host_cupy.capture import Graph
    from tests.doubles.host_cupy.memory import UnownedMemory
    found = set()

    def add(host):
        while isinstance(host.base, numpy.ndarray):
            host = host.base
        begin, end = numpy.lib.array_utils.byte_bounds(host)
        if end > begin and host.size:
            found.add((begin, end))

    for each in gc.get_objects():
        if type(each) is ndarray:
            if each._memory is not None:
                found.add((each._memory.ptr, each._memory.ptr + each._memory.size))
            else:
                add(each._host)
        elif type(each) is UnownedMemory:
            found.add((each.ptr, each.ptr + each.size))
        elif type(each) is Graph:
            for host in each._memory:
                add(host)
    merged = []
    for begin, end in sorted(found):
        if merged and begin < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return numpy.array(merged, 'u8').reshape(-1, 2)


def _reachable(args):
    """Return the memory that bytes have addresses of, and what is found from there."""
    memory = _memory()
    found, new = set(), list(args)
    for arg in args:
        if len(arg) > 8:
            found.update(_halves(memory, arg))
    while new:
        data = bytes(new.pop())
        words = numpy.frombuffer(data[:len(data) // 8 * 8], 'u8')
        places = numpy.searchsorted(memory[:, 0], words, 'right').astype('i8') - 1
        inside = (places >= 0) & (words < memory[places, 1])
        for place in numpy.unique(places[inside]).tolist():
            if place not in found:
                found.add(place)
                begin, end = memory[place].tolist()
                new.append(_bytes(begin, min(end - begin, MOST_BYTES)))
    return [(int(begin), int(end - begin)) for begin, end in memory[sorted(found)]]


def _halves(memory, arg):
    """Return places of memory whose addresses end as words of a structure do.

    Kernels for many arrays are given the upper halves of addresses apart.
    """
    words = numpy.unique(numpy.frombuffer(arg[:len(arg) // 4 * 4], 'u4'))
    size = memory[:, 1] - memory[:, 0]
    first = memory[:, 0].astype('u4')
    near = words[:, None] - first < size.astype('u8')
    # Small numbers are counts.
    return numpy.flatnonzero((near & (words[:, None] > 1 << 16)).any(axis=0)).tolist()
