"""Several data sets of one length, side by side in tuples."""


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
