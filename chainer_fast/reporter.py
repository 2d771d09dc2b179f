"""Reporting and summarizing of observed values."""
from __future__ import annotations

import collections
import contextlib
import json
import threading
import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy

from chainer_fast import backend, configuration, variable
from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer, Serializer
from chainer_fast.types import NdArray

_thread_local = threading.local()


def _get_reporters():
    """Return the stack of reporters entered by the current thread."""
    try:
        return _thread_local.reporters
    except AttributeError:
        _thread_local.reporters = reporters = []
        return reporters


def get_current_reporter() -> Reporter:
    """Return the reporter last entered by the current thread.

    Returns
    -------
    Reporter
        The reporter.

    Raises
    ------
    IndexError
        If there is none.

    Examples
    --------
    >>> reporter = chainer.Reporter()
    >>> with reporter:
    ...     chainer.get_current_reporter() is reporter
    True
    """
    return _get_reporters()[-1]


class Reporter:
    """Collects the values that parts of a program observe.

    An *observer* reports a value under a name. It is an object, often a link, that was
    registered under another name, which becomes the prefix. Inside of ``with
    reporter:`` the function :func:`chainer_fast.report` reports to it.

    Attributes
    ----------
    observation : dict
        Observed values by name.

    See Also
    --------
    chainer_fast.report

    Examples
    --------
    >>> model = L.Linear(3, 2)
    >>> reporter = chainer.Reporter()
    >>> reporter.add_observer('main', model)
    >>> with reporter:
    ...     chainer.report({'loss': 0.5}, model)
    >>> reporter.observation
    {'main/loss': 0.5}
    """

    def __init__(self) -> None:
        self.observation: dict[Any, Any] = {}
        self._observer_names = {}

    def add_observers(
            self, prefix: str, observers: Iterable[tuple[str, Any]]) -> None:
        """Register observers, such as the links of a model.

        Parameters
        ----------
        prefix : str
            Prefix of their names.
        observers : iterable of (str, object)
            Pairs of a name and an observer, such as ``model.namedlinks()``.
        """
        for name, observer in observers:
            self.add_observer(prefix + name, observer)

    def add_observer(self, name: str, observer: Any) -> None:
        """Register an observer.

        Parameters
        ----------
        name : str
            Prefix of its values.
        observer : object
            The observer, which is identified by ``id``.
        """
        self._observer_names[id(observer)] = name

    def report(self, values: dict[Any, Any], observer: Any = None) -> None:
        """Report values.

        A variable is stored as a copy outside of the graph, unless
        ``chainer_fast.config.keep_graph_on_report`` is true.

        Parameters
        ----------
        values : dict
            Values by name.
        observer : object or None
            The observer that reports them. If None, the names get no prefix.

        Raises
        ------
        KeyError
            If ``observer`` is not registered.
        """
        mistakes.require(values, 'items', (
            'the values of a report must be a dict, as in '
            "report({'loss': loss}, link)"))
        if not configuration.config.keep_graph_on_report:
            values = {name: _copy_variable(v) for name, v in values.items()}
        if observer is None:
            self.observation.update(values)
            return
        if id(observer) not in self._observer_names:
            raise KeyError(
                'the observer %s is not registered: call add_observer() or '
                'add_observers() of the reporter first' % type(observer))
        prefix = self._observer_names[id(observer)]
        for name, value in values.items():
            self.observation['%s/%s' % (prefix, name)] = value

    def scope(self, observation: dict[Any, Any]) -> AbstractContextManager[Any]:
        """Enter the reporter and let it write to a dictionary for a ``with`` block.

        Parameters
        ----------
        observation : dict
            Dictionary for the values reported inside the block.

        Returns
        -------
        context manager
            For a ``with`` statement.
        """
        return _Scope(self, observation)

    def __enter__(self) -> None:
        """Make it the current reporter of the thread."""
        _get_reporters().append(self)

    def __exit__(self, *exc_info: object) -> None:
        """Restore the previously entered reporter."""
        _get_reporters().pop()


class _Scope(contextlib.ContextDecorator):
    """Swaps the dictionary of a reporter for another one.

    A given reporter becomes the current one; otherwise the current one is used.
    """

    def __init__(self, reporter, observation: dict[Any, Any]) -> None:
        self._reporter, self._observation = reporter, observation
        self._outside = []

    def __enter__(self) -> None:
        reporter = self._reporter
        if reporter is None:
            reporter = get_current_reporter()
        else:
            reporter.__enter__()
        self._outside.append((reporter, reporter.observation))
        reporter.observation = self._observation

    def __exit__(self, *exc_info: object) -> None:
        reporter, reporter.observation = self._outside.pop()
        if self._reporter is not None:
            reporter.__exit__(*exc_info)


def _copy_variable(value):
    return value.__copy__() if isinstance(value, variable.Variable) else value


def report(values: dict[Any, Any], observer: Any = None) -> None:
    """Report values to the current reporter; does nothing if there is none.

    Parameters
    ----------
    values : dict
        Values by name.
    observer : object or None
        The observer that reports them; see :meth:`Reporter.report`. Links and
        extensions pass themselves as observers.

    Examples
    --------
    >>> reporter = chainer.Reporter()
    >>> with reporter:
    ...     chainer.report({'loss': 0.5})
    >>> reporter.observation
    {'loss': 0.5}
    """
    reporters = _get_reporters()
    if reporters:
        reporters[-1].report(values, observer)


def report_scope(observation: dict[Any, Any]) -> AbstractContextManager[None]:
    """Let the current reporter write to a dictionary for a ``with`` block.

    Parameters
    ----------
    observation : dict
        Dictionary for the values reported inside the block.

    Raises
    ------
    IndexError
        On entering the block, if there is no current reporter.

    Examples
    --------
    >>> reporter, observation = chainer.Reporter(), {}
    >>> with reporter, chainer.report_scope(observation):
    ...     chainer.report({'loss': 0.5})
    >>> observation, reporter.observation
    ({'loss': 0.5}, {})
    """
    return _Scope(None, observation)


_numpy_types = (numpy.ndarray, numpy.generic)


def _is_numpy_scalar(value):
    return isinstance(value, _numpy_types) and value.ndim == 0


def _widen(value):
    """Return a 0-dimensional real NumPy value in float64."""
    if _is_numpy_scalar(value) and value.dtype.kind in 'biuf':
        return numpy.float64(value)
    return value


def _widen_weight(weight):
    # Integers remain integers, so that a snapshot can be resumed.
    if _is_numpy_scalar(weight) and weight.dtype.kind in 'bi':
        return numpy.int64(weight)
    return _widen(weight)


def _plain(value):
    """Return a 0-dimensional NumPy value as a Python number."""
    return value.item() if _is_numpy_scalar(value) else value


class Summary:
    """Running mean and standard deviation of a series of scalars.

    0-dimensional values are summed in float64.

    See Also
    --------
    chainer_fast.DictSummary

    Examples
    --------
    >>> summary = chainer.reporter.Summary()
    >>> for value in (1.0, 2.0, 3.0):
    ...     summary.add(value)
    >>> mean, std = summary.make_statistics()
    >>> float(mean), round(float(std), 4)
    (2.0, 0.8165)
    """

    def __init__(self) -> None:
        self._n = 0
        self._x = self._x2 = 0.0

    def add(self, value: float | NdArray, weight: float = 1) -> None:
        """Add a value.

        Parameters
        ----------
        value : scalar or array
            The value.
        weight : scalar
            Its weight.
        """
        if not _is_numpy_scalar(value):
            weight = _plain(weight)
        elif not _is_numpy_scalar(weight):
            value = _widen(value)
            if type(value) is numpy.float64 and type(weight) in (int, float):
                # The usual case: nothing is on a GPU.
                weighted = weight * value
                self._x += weighted
                self._x2 += weighted * value
                self._n += weight
                return
        device = backend.get_device_from_array(value)
        with backend.using_device(device):
            weighted = weight * value
            self._x += _widen(weighted)
            self._x2 += _widen(weighted * value)
            self._n += _widen_weight(weight)

    def compute_mean(self) -> Any:
        """Return the mean of the values.

        Returns
        -------
        scalar or array
            The mean.

        Raises
        ------
        ZeroDivisionError
            If there are no values.
        """
        with backend.using_device(backend.get_device_from_array(self._x)):
            return self._x / self._n

    def make_statistics(self) -> tuple[Any, ...]:
        """Return the mean and the standard deviation (of the population).

        Returns
        -------
        tuple
            ``(mean, std)``
        """
        xp = backend.get_array_module(self._x)
        with backend.using_device(backend.get_device_from_array(self._x)):
            mean = self._x / self._n
            return mean, xp.sqrt(self._x2 / self._n - mean * mean)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the sums; warn if none were saved."""
        try:
            for name in ('_x', '_x2'):
                setattr(self, name, serializer(name, getattr(self, name)))
            try:
                self._n = serializer('_n', self._n)
            except TypeError:  # an integer cannot represent the sum of other weights
                self._n = serializer('_n', float(self._n))
        except KeyError:
            warnings.warn('The previous statistics are not saved.')


class DictSummary:
    """A :class:`Summary` of each scalar in a series of dictionaries.

    See Also
    --------
    chainer_fast.Summary

    Examples
    --------
    >>> summary = chainer.reporter.DictSummary()
    >>> summary.add({'loss': 2.0, 'accuracy': 0.5})
    >>> summary.add({'loss': 1.0})
    >>> {name: float(mean) for name, mean in summary.compute_mean().items()}
    {'loss': 1.5, 'accuracy': 0.5}
    """

    def __init__(self) -> None:
        self._summaries = collections.defaultdict(Summary)

    def add(self, d: dict[Any, Any]) -> None:
        """Add a dictionary.

        Parameters
        ----------
        d : dict
            Scalars, 0-dimensional arrays or variables, or tuples of one of these and
            its weight. Other entries are ignored.

        Raises
        ------
        ValueError
            If a weight is not a scalar.
        """
        for name, value in d.items():
            weight = 1
            if isinstance(value, tuple):
                value, weight = _array_of(value[0]), _array_of(value[1])
                if not _is_scalar(weight):
                    raise ValueError(
                        'the weight of %s must be a scalar, not %s'
                        % (name, type(weight)))
            value = _array_of(value)
            if isinstance(value, str):
                raise TypeError(
                    'a mean needs numbers, but %r was reported as %r' % (value, name))
            if _is_scalar(value):
                self._summaries[name].add(value, weight=weight)

    def compute_mean(self) -> dict[str, Any]:
        """Return a dictionary of the means.

        Returns
        -------
        dict
            The mean of each name.
        """
        return {name: s.compute_mean() for name, s in self._summaries.items()}

    def make_statistics(self) -> dict[Any, Any]:
        """Return a dictionary of the means and standard deviations.

        Returns
        -------
        dict
            For each name the mean, and under the name with ``'.std'`` appended the
            standard deviation.
        """
        statistics = {}
        for name, summary in self._summaries.items():
            statistics[name], statistics[name + '.std'] = summary.make_statistics()
        return statistics

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the sums; warn if none were saved.

        Names may contain slashes, so they are saved separately as JSON, and the sums
        under their positions.
        """
        if isinstance(serializer, Serializer):
            serializer('_names', json.dumps(list(self._summaries)))
            self._serialize_values(serializer, self._summaries)
            return
        self._summaries.clear()
        try:
            names = serializer('_names', '')
        except KeyError:
            names = ''
        if not names:  # a lenient deserializer returns its argument
            warnings.warn('The names of statistics are not saved.')
            return
        self._serialize_values(serializer, json.loads(names))

    def _serialize_values(self, serializer, names):
        values = serializer['_summaries']
        for i, name in enumerate(names):
            self._summaries[name].serialize(values[str(i)])


def _array_of(value):
    return value.array if isinstance(value, variable.Variable) else value


def _is_scalar(value):
    return numpy.isscalar(value) or getattr(value, 'ndim', -1) == 0
