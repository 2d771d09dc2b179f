"""Concatenation of the rows of data sets."""
import itertools

from chainer_fast.dataset.tabular import delegate_dataset


class _Concat(delegate_dataset._View):

    def __init__(self, *datasets):
        super().__init__(datasets[0])
        for other in datasets[1:]:
            if other.keys != self.keys:
                raise ValueError('concatenated data sets must have the same keys: one '
                                 'has %s, another %s' % (self.keys, other.keys))
        self._datasets = datasets

    def __len__(self):
        return sum(map(len, self._datasets))

    def get_examples(self, indices, key_indices):
        if indices is None:
            return _stack([dataset.get_examples(None, key_indices)
                           for dataset in self._datasets])
        if isinstance(indices, slice):
            parts = self._split_slice(indices)
        else:
            parts, order = self._split_list(indices)
        if not parts:
            width = len(self.keys if key_indices is None else key_indices)
            return tuple([[] for _ in range(width)])
        columns = [dataset.get_examples(local, key_indices)
                   for dataset, local in parts]
        if len(parts) == 1:
            # Only one data set is needed, with the rows in order: arrays remain arrays.
            return columns[0]
        if isinstance(indices, slice):
            return _stack(columns if parts[0][1].step > 0 else columns[::-1])
        return tuple([[column[i] for i in order] for column in _stack(columns)])

    def _bounds(self):
        """Yield each data set with its first row and the row after its last."""
        ends = itertools.accumulate(map(len, self._datasets), initial=0)
        for dataset, (start, stop) in zip(
                self._datasets, itertools.pairwise(ends), strict=True):
            yield dataset, start, stop

    def _split_slice(self, rows):
        rows = range(*rows.indices(len(self)))
        return [(dataset, local) for dataset, start, stop in self._bounds()
                if (local := _intersection(rows, start, stop)) is not None]

    def _split_list(self, rows):
        """Return the rows of each data set, and the positions of ``rows`` among them.

        Rows out of range are omitted.
        """
        parts = []
        sources = []
        for dataset, start, stop in self._bounds():
            places = [i for i, row in enumerate(rows) if start <= row < stop]
            if places:
                parts.append((dataset, [rows[i] - start for i in places]))
                sources += places
        return parts, sorted(range(len(sources)), key=sources.__getitem__)


def _stack(tables):
    return tuple([list(itertools.chain.from_iterable(columns))
                  for columns in zip(*tables, strict=True)])


def _intersection(rows, start, stop):
    """Return the part of a range from ``start`` to ``stop``, counted from ``start``.

    Parameters
    ----------
    rows : range
    start, stop : int

    Returns
    -------
    slice or None
        ``None`` if the part is empty.
    """
    step = rows.step
    # Number of steps until the range enters the interval, zero if it starts inside.
    nearest, end = ((start, min(rows.stop, stop)) if step > 0
                    else (stop - 1, max(rows.stop, start - 1)))
    first = rows.start + step * max(0, -((rows.start - nearest) // step))
    if not range(first, end, step):
        return None
    return slice(first - start, end - start if end >= start else None, step)
