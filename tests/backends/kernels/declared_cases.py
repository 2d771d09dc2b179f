"""Layouts of arrays, and references, for the tests of declared kernels."""
import importlib
import pkgutil

import numpy as np

from chainer_fast.backends import kernels


def references():
    """Return the reference of each declared kernel by name."""
    found = {}
    for module in pkgutil.walk_packages(kernels.__path__, kernels.__name__ + '.'):
        for each in vars(importlib.import_module(module.name)).values():
            form = getattr(each, 'compiled', None)
            name = getattr(getattr(form, '__wrapped__', form), 'name', None)
            if isinstance(each, kernels.Kernel) and name:
                found[name] = each.reference
    return found


def gaps(array):
    return np.repeat(array, 2, -1)[..., ::2] if array.ndim else array


def backwards(array):
    return array[::-1].copy()[::-1] if array.ndim else array


def broadcast(array):
    return np.broadcast_to(array[..., :1], array.shape) if array.ndim else array


def broadcast_rows(array):
    return np.broadcast_to(array[:1], array.shape) if array.ndim else array


def fortran(array):
    return np.asarray(array, order='F')


def unaligned(array):
    memory = np.empty(array.nbytes + 1, 'u1')[1:]
    made = memory.view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def swapped(array):
    return array.astype(array.dtype.newbyteorder())


#: Layouts that each kernel reads.
READ = {'plain': np.copy, 'gaps': gaps, 'backwards': backwards,
        'broadcast': broadcast}
#: Layouts that some read, and such that none does.
ORDERS = {'fortran': fortran, 'broadcast rows': broadcast_rows}
UNREAD = {'unaligned': unaligned, 'swapped': swapped}
LAYOUTS = {**READ, **ORDERS, **UNREAD}
