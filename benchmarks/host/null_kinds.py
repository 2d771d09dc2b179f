"""Forms of arrays of the null device: shape, dtype and strides.

Arrays of one form share a :class:`Kind`, which remembers what is made of it, so that
a second view or result of the same form costs a look into a dictionary.
"""
import numpy

from benchmarks.host.building import extension

null_memory = extension('null_memory')
BLOCK = 512     # CuPy's pool gives multiples of it
_kinds, KNOWN = {}, {}


class Flags:
    """Flags of an array, as far as they follow from its shape and strides."""

    owndata = True

    def __init__(self, flags):
        self.c_contiguous = flags.c_contiguous
        self.f_contiguous = flags.f_contiguous
        self.fnc = self.f_contiguous and not self.c_contiguous
        self.forc = self.f_contiguous or self.c_contiguous

    def __getitem__(self, name):
        return getattr(self, name.lower())


class Kind(null_memory.Form):
    """Shape, dtype and strides."""

    __slots__ = 'memo',

    def __init__(self, host):
        for name in ('shape', 'dtype', 'strides', 'ndim', 'size', 'nbytes', 'itemsize'):
            setattr(self, name, getattr(host, name))
        self.flags = Flags(host.flags)
        self.room = max(1, -(-self.nbytes // BLOCK)) * BLOCK
        self.memo = {}
        self._c_contiguous = host.flags.c_contiguous
        self._f_contiguous = host.flags.f_contiguous

    def host(self):
        """Return an array of NumPy of this form, whose elements must not be touched."""
        return numpy.lib.stride_tricks.as_strided(
            numpy.empty(1, self.dtype), self.shape, self.strides)

    def like(self, dtype=None):
        """Return the kind of a new array of this shape, and in this order of axes."""
        key = 'like', dtype
        if key not in self.memo:
            self.memo[key] = kind_of_host(numpy.empty_like(self.host(), dtype))
        return self.memo[key]

    def view(self, function, args, kwargs):
        """Return the kind and the offset of what a function of NumPy makes of it."""
        host = self.host()
        found = function(host, *args, **kwargs)
        return kind_of_host(found), _address(found) - _address(host)


def _address(host):
    return host.__array_interface__['data'][0]


def kind_of_host(host):
    key = host.shape, host.dtype, host.strides
    if key not in _kinds:
        _kinds[key] = Kind(host)
    return _kinds[key]


def plain(shape, dtype=float):
    """Return the kind of arrays in C order."""
    try:
        return KNOWN[shape, dtype]
    except KeyError:
        key = shape, dtype
    except TypeError:
        if isinstance(shape, list):
            return plain(tuple(shape), dtype)
        raise
    host = numpy.broadcast_to(numpy.empty((), dtype), shape)
    strides = [host.itemsize]
    for n in host.shape[:0:-1]:
        strides.append(strides[-1] * max(n, 1))
    KNOWN[key] = kind_of_host(numpy.lib.stride_tricks.as_strided(
        host, host.shape, strides[::-1][:host.ndim] if host.ndim else ()))
    return KNOWN[key]


def fortran(shape, dtype=float):
    """Return the kind of arrays in Fortran's order."""
    turned = plain(plain(shape, dtype).shape[::-1], dtype)
    return turned.view(numpy.transpose, (), {})[0]
