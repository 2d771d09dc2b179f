"""Names that pandas has removed."""
import datetime
import functools

import numpy

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import names
from chainer_fast.legacy._python.arrivals import when_imported


def _append(self, other, ignore_index=False, verify_integrity=False, sort=False):
    """Return the rows followed by others."""
    import pandas
    if isinstance(self, pandas.Series):
        others = list(other) if isinstance(other, (list, tuple)) else [other]
        return pandas.concat([self, *others], ignore_index=ignore_index,
                             verify_integrity=verify_integrity)
    if isinstance(other, dict):
        if not ignore_index:
            raise TypeError('Can only append a dict if ignore_index=True')
        other = pandas.Series(other)
    if isinstance(other, pandas.Series):
        if other.name is None and not ignore_index:
            raise TypeError('Can only append a Series if ignore_index=True or if the '
                            'Series has a name')
        row = other.to_frame().T.infer_objects()
        row.index = [other.name]
        others = [row]
    elif isinstance(other, (list, tuple)):
        others = [each if isinstance(each, (pandas.DataFrame, pandas.Series))
                  else pandas.DataFrame([each]) for each in other]
        others = [each.to_frame().T if isinstance(each, pandas.Series) else each
                  for each in others]
    else:
        others = [other]
    # An empty table has no types to keep.
    frames = [frame for frame in (self, *others) if len(frame.columns) or len(frame)]
    if len(self) == 0 and len(frames) > 1 and frames[0] is self:
        columns = [*self.columns, *[
            name for frame in others for name in frame.columns
            if name not in self.columns]]
        made = pandas.concat(others, ignore_index=ignore_index,
                             verify_integrity=verify_integrity, sort=sort)
        return made.reindex(columns=list(dict.fromkeys(columns)))
    return pandas.concat(frames or [self], ignore_index=ignore_index,
                         verify_integrity=verify_integrity, sort=sort)


class _Ix:
    """Items by label, or by position if the key cannot be a label."""

    def __init__(self, owner):
        self._owner = owner

    def _places(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        axes = (self._owner.index, getattr(self._owner, 'columns', None))
        return [_is_place(part, axis) for part, axis in zip(keys, axes, strict=False)
                ], keys, axes

    def _labels(self, key):
        """Return a key for ``loc``, with labels instead of positions."""
        are_places, keys, axes = self._places(key)
        made = []
        for is_place, part, axis in zip(are_places, keys, axes, strict=False):
            made.append(axis[part] if is_place else part)
        return tuple(made) if isinstance(key, tuple) else made[0]

    def __getitem__(self, key):
        if isinstance(key, slice) and _is_place(key, self._owner.index):
            return self._owner.iloc[key]
        return self._owner.loc[self._labels(key)]

    def __setitem__(self, key, value):
        self._owner.loc[self._labels(key)] = value


def _is_place(key, axis):
    """Return whether a key is a position: integers, if labels are not numbers."""
    if axis is None or axis.dtype.kind in 'iuf':
        return False
    if isinstance(key, slice):
        parts = [part for part in (key.start, key.stop) if part is not None]
        return bool(parts) and all(map(_is_whole, parts))
    if isinstance(key, (list, numpy.ndarray)):
        return len(key) > 0 and all(map(_is_whole, key))
    return _is_whole(key)


def _is_whole(value):
    return isinstance(value, (int, numpy.integer)) and not isinstance(value, bool)


def _as_matrix(self, columns=None):
    return (self if columns is None else self[columns]).to_numpy()


def _get_value(self, index, col=None, takeable=False):
    owner = self.iat if takeable else self.at
    return owner[index] if self.ndim == 1 else owner[index, col]


def _set_value(self, index, col, value=None, takeable=False):
    owner = self.iat if takeable else self.at
    if self.ndim == 1:
        owner[index] = col
    else:
        owner[index, col] = value
    return self


def _sort(self, columns=None, axis=0, ascending=True, inplace=False, **options):
    if self.ndim == 1 or columns is None:
        return self.sort_index(axis=axis, ascending=ascending, inplace=inplace)
    return self.sort_values(columns, axis=axis, ascending=ascending, inplace=inplace)


def _order(self, na_last=None, ascending=True, **options):
    return self.sort_values(ascending=ascending, na_position=(
        'first' if na_last is False else 'last'))


def _mad(self, axis=None, skipna=True, level=None):
    axis = 0 if axis is None else axis
    if self.ndim == 1:
        return (self - self.mean(skipna=skipna)).abs().mean(skipna=skipna)
    means = self.mean(axis=axis, skipna=skipna)
    return self.sub(means, axis=1 - axis).abs().mean(axis=axis, skipna=skipna)


def _lookup(self, row_labels, col_labels):
    return numpy.array([self.at[row, col] for row, col in zip(
        row_labels, col_labels, strict=True)])


def _rolling(name):
    def call(arg, window, min_periods=None, center=False, **options):
        return getattr(arg.rolling(
            window, min_periods=min_periods, center=center), name)(**options)
    return call


_METHODS = {
    'append': _append,
    'iteritems': lambda self: self.items(),
    'as_matrix': _as_matrix,
    'get_values': lambda self: self.to_numpy(),
    'get_value': _get_value,
    'set_value': _set_value,
    'sort': _sort,
    'mad': _mad,
    'clip_lower': lambda self, threshold, axis=None: self.clip(
        lower=threshold, axis=axis),
    'clip_upper': lambda self, threshold, axis=None: self.clip(
        upper=threshold, axis=axis),
    'tshift': lambda self, periods=1, freq=None, axis=0: self.shift(
        periods, freq or self.index.freq or self.index.inferred_freq),
}
_OF_FRAMES = {
    'lookup': _lookup,
    'irow': lambda self, i: self.iloc[i],
    'icol': lambda self, i: self.iloc[:, i],
    'get_dtype_counts': lambda self: self.dtypes.value_counts(),
}
_OF_SERIES = {
    'order': _order,
    'valid': lambda self: self.dropna(),
    'nonzero': lambda self: self.to_numpy().nonzero(),
    'ptp': lambda self: self.max() - self.min(),
    'iget': lambda self, i: self.iloc[i],
    'compress': lambda self, condition: self[condition],
}
_ROLLING = ('mean', 'sum', 'std', 'var', 'min', 'max', 'median', 'count')
#: Attributes that entries have, by class.
NAMES = {'DataFrame': ('ix', *_METHODS, *_OF_FRAMES),
         'Series': ('ix', *_METHODS, *_OF_SERIES)}


def _ix(what):
    def get(self):
        _report.adapted(what)
        return _Ix(self)
    return property(get)


def _of_pandas(patches, pandas):
    for cls, own in (pandas.DataFrame, _OF_FRAMES), (pandas.Series, _OF_SERIES):
        prefix = 'pandas.%s.' % cls.__name__
        for name, function in {**_METHODS, **own}.items():
            if not hasattr(cls, name):
                names.set_counted(patches, cls, name, prefix + name, function)
        if not hasattr(cls, 'ix'):
            patches.set(cls, 'ix', _ix(prefix + 'ix'))
    names.provide(patches, pandas, 'libraries', {
        name: lambda value=value: value for name, value in (
            ('np', numpy), ('datetime', datetime.datetime),
            *[('rolling_' + name, _rolling(name)) for name in _ROLLING],
            *[(name, pandas.Index) for name in (
                'Int64Index', 'UInt64Index', 'Float64Index')])
        if not hasattr(pandas, name)})


def install(patches):
    when_imported(patches, 'pandas', functools.partial(_of_pandas, patches))
