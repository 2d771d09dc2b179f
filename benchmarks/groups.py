"""Groups of workloads, each in its own folder.

A group is a module with

- ``TITLES``, names in the table by the keys of its workloads;
- ``chainer_step(chainer, key)``, which returns a function that does one step;
- if others can do the same, ``torch_step(torch, key)`` and ``numpy_step(key)``, which
  return None for steps that they cannot do, and likewise ``static_step``,
  ``torch_compile_step``, ``jax_step`` and ``general_step``;
- optionally ``BARS``, required ratios of each side by key, and ``ONEDNN_BARS`` and
  ``STATIC_BARS``, those of chainer_fast with oneDNN and by ``static_graph``;
- optionally ``THREADS``, the numbers of threads, ``ROUNDS``, and ``PEERS``, the other
  sides, if they are not those of the other groups, and ``WAIT``, seconds of rest before
  each measurement;
- optionally ``tolerance(key)``, the relative and the absolute difference that results
  may have.

A step has an attribute ``check``, a function that returns arrays on which all sides
must agree, with None for unknown ones. That of a compiler may have ``refused``, a
function that returns why it was not compiled, or nothing.
"""
from compiled import cases as compiled
from functions import steps as functions
from large import cases as large
from links import cases as links
from models import cases as models
from optimizers import cases as optimizers
from static import cases as static
from sweep import cases as sweep
from training import cases as training

GROUPS = {'functions': functions, 'links': links, 'models': models,
          'optimizers': optimizers, 'static': static, 'training': training,
          'compiled': compiled, 'large': large, 'sweep': sweep}


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
    side : {'chainer', 'static', 'general', 'torch', 'torch_compile', 'jax', 'numpy'}
    library : module
        The side's, for NumPy none.
    """
    make = getattr(group_of(key), side + '_step', None)
    if make is None:
        return None
    return make(key) if library is None else make(library, key)
