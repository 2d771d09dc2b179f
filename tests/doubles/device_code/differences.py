"""Differences between the memory that two forms of a kernel leave.

Integers, and all that a kernel does not write, must be equal. Floating-point numbers
may differ as sums do that come in another order, products that are fused with
additions, and functions that are approximate.
"""
import re

import numpy

# Shares of a number, and of the largest one that there is of its type.
# Denormal numbers of single precision may have become zeros.
TOLERANCES = {'f2': (2e-3, 1e-3), 'f4': (2e-5, 4e-6), 'f8': (1e-12, 1e-13)}
_TINY = {'f2': 0., 'f4': 2.**-125, 'f8': 0.}
# Nothing else is known of the half floats of raw kernels.
_STORED = {'f64': 'f8', 'f32': 'f4', 'f16': 'f2', 'b16': 'f2', 'u16': 'f2'}


def find(stores, regions, kept):
    """Return sentences on what differs from the memory that was kept.

    Parameters
    ----------
    stores : list of (str, numpy.ndarray)
        What the kernel stored as PTX: a type, and addresses.
    regions : list of ~tests.doubles.ptx.memory.Region
        Memory afterwards.
    kept : dict
        The launch, with the memory that g++'s form left.
    """
    # CuPy's reductions have other blocks than the stand-in's, and so another order.
    factor = 5 if kept['instance']['kind'] == 'reduction' else 1
    is_narrow = _computes_in_single_precision(kept['instance'])
    kinds = [(int.from_bytes(arg[:8], 'little'), numpy.dtype(kind[1]))
             for kind, arg in zip(kept['instance']['arguments'], kept['args'],
                                  strict=False) if kind[0] == 'array']
    out = []
    for region, after in zip(regions, kept['after'], strict=True):
        theirs = numpy.frombuffer(after, 'u1')
        differs = region.data != theirs
        if not differs.any():
            continue
        for kind, starts in _elements(region, stores, kinds):
            tolerances = [factor * each for each in TOLERANCES[
                'f4' if kind == 'f8' and is_narrow else kind]]
            out += _compare(kind, starts, region.data, theirs, differs, tolerances)
        if differs.any():
            at = numpy.flatnonzero(differs)
            out.append('%d bytes of %d differ, the first is byte %d: %d, not %d' % (
                len(at), region.size, at[0], region.data[at[0]], theirs[at[0]]))
    return out


def _computes_in_single_precision(instance):
    """Tell whether a kernel may do so; the results may be kept in a wider type."""
    if instance['kind'] == 'raw' and not instance['arguments']:
        # The types are those that the text of the kernel calls a template with.
        text = instance['init']['code'].split('__global__')[-1]
        return re.search(r'<[^>]*\b(float|float16|half|__half)\b', text) is not None
    return bool({'float16', 'float32'} & {
        *instance['letters'].values(), *(kind[1] for kind in instance['arguments'])})


def _elements(region, stores, kinds):
    """Yield (kind, offsets) of the floating-point numbers in a region."""
    inside = [(address, dtype) for address, dtype in kinds
              if region.address <= address < region.address + region.size]
    if inside:
        for address, dtype in inside:
            if dtype.kind == 'f':
                first = (address - region.address) % dtype.itemsize
                yield dtype.str[1:], numpy.arange(
                    first, region.size - dtype.itemsize + 1, dtype.itemsize)
        return
    for kind in ('f8', 'f4', 'f2'):
        found = [addresses for stored, addresses in stores
                 if _STORED.get(stored) == kind]
        if found:
            offsets = numpy.unique(numpy.concatenate(found)).astype(
                'i8') - region.address
            yield kind, offsets[(offsets >= 0) & (offsets < region.size)]


def _compare(kind, starts, ours, theirs, differs, tolerances):
    """Return what differs by more than it may, and mark what has been compared."""
    places = starts[:, None] + numpy.arange(int(kind[1]))
    some = differs[places].any(axis=1)
    relative, absolute = tolerances
    a, b = [each[places].reshape(-1).view(kind).astype('d') for each in (ours, theirs)]
    size = abs(b[numpy.isfinite(b)]).max(initial=0)
    with numpy.errstate(invalid='ignore'):
        near = (a == b) | (numpy.isnan(a) & numpy.isnan(b)) | (
            abs(a - b) <= relative * abs(b) + absolute * size + _TINY[kind])
    differs[places[near]] = False
    wrong = numpy.flatnonzero(some & ~near)
    differs[places[wrong]] = False
    if not len(wrong):
        return []
    return ['%d numbers of %d (%s) differ, e.g. %r, not %r' % (
        len(wrong), len(starts), kind, a[wrong[0]].item(), b[wrong[0]].item())]
