"""Data sets for processes that receive their input from other processes."""
from __future__ import annotations

from collections.abc import Sized
from typing import Any


def create_empty_dataset(dataset: Sized) -> list[tuple[Any, ...]]:
    """Return a data set of empty examples, as long as another one.

    A process whose model begins with :func:`chainer_fast.mn.functions.recv` and ends
    with :func:`chainer_fast.mn.functions.send` needs iterations, but no data.

    Parameters
    ----------
    dataset : sized
        The data set; only its length is used.

    Returns
    -------
    list of tuple
        Empty tuples: the model is called without arguments.

    Examples
    --------
    ::

        if comm.rank == 1:
            train = chainermn.datasets.create_empty_dataset(train)
    """
    return [()] * len(dataset)
