"""Types of PTX, and which registers an instruction of a type may name."""
import numpy

from tests.doubles.ptx.faults import Unknown

DTYPES = {
    **{'%s%d' % (letter, 8 * size): numpy.dtype('%s%d' % (kind, size))
       for letter, kind in (('u', 'u'), ('b', 'u'), ('s', 'i'))
       for size in (1, 2, 4, 8)},
    'f16': numpy.dtype('f2'), 'f32': numpy.dtype('f4'), 'f64': numpy.dtype('f8'),
    'pred': numpy.dtype('?')}


def dtype_of(kind):
    """Return the dtype of a type such as ``'f32'``; bits are unsigned integers."""
    if kind not in DTYPES:
        raise Unknown('type .%s' % kind)
    return DTYPES[kind]


def size_of(kind):
    return dtype_of(kind).itemsize


def bits(size):
    """Return the dtype of unsigned integers of so many bytes."""
    return numpy.dtype('u%d' % size)


def check(register, kind, text, widens=False):
    """Raise if an instruction of a type cannot name a register.

    Parameters
    ----------
    register, kind : str
        Types of both.
    text : str
        The instruction.
    widens : bool
        Whether the register may be wider, as in loads, stores and conversions.
    """
    have, want = dtype_of(register), dtype_of(kind)
    if 'pred' in (register, kind):
        fits = register == kind
    elif have.itemsize == want.itemsize:
        fits = register == kind or 'b' in (register[0], kind[0]) or (
            'f' not in (register[0], kind[0]))
    else:
        fits = widens and have.itemsize > want.itemsize and register[0] != 'f' and (
            kind[0] != 'f')
    if not fits:
        raise Unknown('a register of type .%s as .%s: %s' % (register, kind, text))
