"""Several data sets of one length, side by side in tuples."""
import numpy

from chainer_fast._core import examples


class TupleDataset:
    """Data set whose ``i``-th example is the tuple of the ``i``-th of each data set.

    Parameters
    ----------
    *datasets :
        Sequences or arrays, all of one length.

    Raises
    ------
    ValueError
        If there is none, or if the lengths differ.
    """

    def __init__(self, *datasets):
        if not datasets:
            raise ValueError('no datasets are given')
        lengths = [len(dataset) for dataset in datasets]
        if len(set(lengths)) > 1:
            raise ValueError('the datasets have different lengths: %s'
                             % ', '.join(map(str, lengths)))
        self._datasets = datasets
        self._length = lengths[0]

    def __getitem__(self, index):
        columns = [dataset[index] for dataset in self._datasets]
        if isinstance(index, slice):
            return list(zip(*columns, strict=True))
        return tuple(columns)

    def __len__(self):
        return self._length


def read_examples(dataset, indices):
    """Return a list of the examples of a data set.

    Parameters
    ----------
    dataset : sequence
        It is given NumPy's integers, unless it cannot tell them from Python's, which
        are faster.
    indices : numpy.ndarray of int
        Which examples.
    """
    # A subclass may give other examples than those that lie side by side.
    if getattr(type(dataset), '__getitem__', None) is TupleDataset.__getitem__:
        columns = dataset._datasets
        same = all(type(column) in _SAME_FOR_ALL_INTEGERS for column in columns)
        return examples.tuples(columns, indices.tolist() if same else list(indices))
    if type(dataset) in _SAME_FOR_ALL_INTEGERS:
        indices = indices.tolist()
    return [dataset[i] for i in indices]


_SAME_FOR_ALL_INTEGERS = {list, tuple, numpy.ndarray, range, str}
