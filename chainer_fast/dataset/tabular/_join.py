"""Join of the columns of data sets."""
import itertools

from chainer_fast.dataset.tabular import delegate_dataset


class _Join(delegate_dataset._View):

    def __init__(self, *datasets):
        super().__init__(datasets[0])
        seen = set(datasets[0].keys)
        for other in datasets[1:]:
            if len(other) != len(self):
                raise ValueError('joined data sets must have the same length: one has '
                                 '%d examples, another %d' % (len(self), len(other)))
        for other in datasets[1:]:
            shared = seen.intersection(other.keys)
            if shared:
                raise ValueError('joined data sets must have different keys: more '
                                 'than one has %s' % ', '.join(map(repr, shared)))
            seen.update(other.keys)
        self._datasets = datasets

    @property
    def keys(self):
        return tuple(itertools.chain.from_iterable(
            [dataset.keys for dataset in self._datasets]))

    @property
    def mode(self):
        return next((dataset.mode for dataset in self._datasets if dataset.mode), tuple)

    def get_examples(self, indices, key_indices):
        if key_indices is None:
            return tuple(itertools.chain.from_iterable(
                [dataset.get_examples(indices, None) for dataset in self._datasets]))
        columns = {}
        start = 0
        for dataset in self._datasets:
            stop = start + len(dataset.keys)
            # A column requested twice is fetched once.
            wanted = dict.fromkeys([k for k in key_indices if start <= k < stop])
            if wanted:
                fetched = dataset.get_examples(
                    indices, tuple([k - start for k in wanted]))
                columns.update(zip(wanted, fetched, strict=True))
            start = stop
        return tuple([columns[k] for k in key_indices])
