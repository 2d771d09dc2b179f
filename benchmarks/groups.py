"""Groups of workloads, each in a folder of its own.

A group is a module with

- ``TITLES``, from the keys of its workloads to what the table calls them;
- ``chainer_step(chainer, key)``, which returns a function that does one step;
- if others can do the same, ``torch_step(torch, key)`` and ``numpy_step(key)``, which
  return None for what they cannot do;
- if there are any, ``BARS``, from keys to what each side has to reach.

A step has an attribute ``check``, a function that returns arrays on which all sides
have to agree, None for those that a side does not know.
"""
from functions import steps as functions
from links import cases as links
from optimizers import cases as optimizers
from training import cases as training

GROUPS = {'functions': functions, 'links': links, 'optimizers': optimizers,
          'training': training}


def group_of(key):
    """Return the group that a key belongs to, or None."""
    for group in GROUPS.values():
        if key in group.TITLES:
            return group
    return None


def make_step(key, side, library):
    """Return the step of a workload on a side, or None if the side has none.

    Parameters
    ----------
    key : str
    side : {'chainer', 'torch', 'numpy'}
    library : module
        The side's, for NumPy none.
    """
    make = getattr(group_of(key), side + '_step', None)
    if make is None:
        return None
    return make(key) if library is None else make(library, key)
