"""Views that pass examples through a function."""
import operator
from typing import Any

from chainer_fast.dataset.tabular import delegate_dataset


class _FunctionView(delegate_dataset._View):
    """Base class of both kinds of transformed data sets.

    The mode is that of the function's first result. If it is read earlier, one
    example is fetched.
    """

    _role = None
    _mode: Any

    def __init__(self, dataset, keys, function):
        super().__init__(dataset)
        self._keys = keys if isinstance(keys, tuple) else (keys,)
        self._function = function

    keys = property(operator.attrgetter('_keys'))

    @property
    def mode(self):
        if '_mode' not in vars(self):
            # One example is enough to set the mode.
            self.get_examples([0], None)
        return self._mode

    def _call(self, elements, mode):
        """Call the function; return its result as a tuple or a dict."""
        if mode is dict:
            result = self._function(
                **dict(zip(self.dataset.keys, elements, strict=True)))
        else:
            result = self._function(*elements)
        for mode in (tuple, dict, None):
            if mode is None or isinstance(result, mode):
                break
        if getattr(self, '_mode', mode) is not mode:
            raise ValueError(
                '%s must always return the same kind of result (a tuple, a dict, or '
                'something else): it returned %s before, and now %s' % (
                    self._role, _mode_name(self._mode), _mode_name(mode)))
        self._mode = mode
        return (result,) if mode is None else result

    def _pick(self, result, key_indices):
        """Return the requested elements of one result."""
        if self._mode is dict:
            return [result[self._keys[k]] for k in key_indices]
        return [result[k] for k in key_indices]

    def _columns(self, key_indices):
        return range(len(self._keys)) if key_indices is None else key_indices


class _Transform(_FunctionView):
    _role = 'transform'

    def get_examples(self, indices, key_indices):
        inputs = self.dataset.get_examples(indices, None)
        mode = self.dataset.mode
        wanted = self._columns(key_indices)
        columns = tuple([[] for _ in wanted])
        for elements in zip(*inputs, strict=True):
            picked = self._pick(self._call(elements, mode), wanted)
            for column, element in zip(columns, picked, strict=True):
                column.append(element)
        return columns


class _TransformBatch(_FunctionView):
    _role = 'transform_batch'

    def get_examples(self, indices, key_indices):
        inputs = self.dataset.get_examples(indices, None)
        length = _count(indices, len(self.dataset))
        result = self._call(inputs, self.dataset.mode)
        for column in result.values() if isinstance(result, dict) else result:
            if len(column) != length:
                raise ValueError('transform_batch must return as many examples as it '
                                 'gets, but for %s it returned '
                                 '%d' % (length, len(column)))
        return tuple(self._pick(result, self._columns(key_indices)))


def _count(indices, length):
    """Return the number of rows selected by ``indices`` of :meth:`get_examples`."""
    if indices is None:
        return length
    if isinstance(indices, slice):
        return len(range(*indices.indices(length)))
    return len(indices)


def _mode_name(mode):
    return 'something else' if mode is None else 'a ' + mode.__name__
