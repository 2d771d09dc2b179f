"""Extension that reports statistics of the parameters of links."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from chainer_fast import backend, link, reporter
from chainer_fast._help import mistakes
from chainer_fast.link import Link
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state, extension, util
from chainer_fast.training.trainer import Trainer

# The mean, and one, two and three standard deviations from it in a normal distribution.
_PERCENTILES = 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87


def _of_module(name):
    def statistic(x):
        return getattr(backend.get_array_module(x), name)(x)
    return statistic


def _count_zeros(x):
    return x.size - int(backend.get_array_module(x).count_nonzero(x))


def _percentiles(x):
    return backend.get_array_module(x).percentile(x, _PERCENTILES)


class ParameterStatistics(extension.Extension):
    """Extension that reports statistics of parameters and their gradients.

    It computes them at each iteration, and reports their means at the end of a period,
    with keys like ``'my_link/W/grad/std'``.

    Parameters
    ----------
    links : Link or iterable of Link
        The links, with all their children.
    statistics : dict of callable, str or None
        Functions by name. They take the values of a parameter as a flat array and
        return a number, or an array whose elements are reported separately, as
        ``'.../percentile/0'``. ``'default'`` means :attr:`default_statistics`.
    report_params, report_grads : bool
        Whether to report the parameters and their gradients.
    prefix : str, optional
        Prefix of the keys.
    trigger : tuple or callable
        When to report.
    skip_nan_params : bool
        Whether to report NaN without calling the functions if the values contain NaN.

    Attributes
    ----------
    default_statistics : dict
        Mean, standard deviation, minimum, maximum, number of zeros, and seven
        percentiles.
    report_key_template : str
        Format of the keys.

    Examples
    --------
    The norms of all parameters and their gradients: ::

        trainer.extend(extensions.ParameterStatistics(
            model, {'norm': lambda x: (x ** 2).sum() ** 0.5}))
    """

    report_key_template = '{prefix}{link_name}{param_name}/{attr_name}/{function_name}'
    priority = extension.PRIORITY_WRITER
    default_name = 'parameter_statistics'
    default_statistics: dict[Any, Any] = {
        **{name: _of_module(name) for name in ('mean', 'std', 'min', 'max')},
        'zeros': _count_zeros,
        'percentile': _percentiles,
    }

    def __init__(
            self, links: Link | Iterable[Link],
            statistics: dict[str, Callable[..., Any]] | None = 'default',
            report_params: bool = True, report_grads: bool = True,
            prefix: str | None = None,
            trigger: Sequence[Any] | Callable[..., Any] = (1, 'epoch'),
            skip_nan_params: bool = False) -> None:
        if isinstance(statistics, str) and statistics == 'default':
            statistics = self.default_statistics
        self._statistics = dict(statistics or {})
        self._links: Any = (links,) if isinstance(links, link.Link) else links
        self._attrs = [name for name, wanted in (('data', report_params),
                                                 ('grad', report_grads)) if wanted]
        self._prefix, self._skip_nan_params = prefix, skip_nan_params
        self._trigger = util.get_trigger(trigger)
        self._init_summary()

    def _init_summary(self):
        self._summary = reporter.DictSummary()

    def register_statistics(
            self, name: str, function: Callable[..., Any]) -> None:
        """Add a statistic.

        Parameters
        ----------
        name : str
            Name of the statistic, at the end of the keys.
        function : callable
            Takes a flat array and returns a number or an array.
        """
        self._statistics[name] = function

    def __call__(self, trainer: Trainer) -> None:
        observed = {}
        for root in self._links:
            for param_name, param in root.namedparams():
                if not param.is_initialized:
                    continue
                for attr_name in self._attrs:
                    values = getattr(param, attr_name)
                    if values is None:  # a cleared gradient
                        continue
                    observed.update(self._observe(
                        values.ravel(), link_name=root.name, param_name=param_name,
                        attr_name=attr_name,
                        prefix=self._prefix + '/' if self._prefix else ''))
        self._summary.add(observed)
        if self._trigger(trainer):
            means = self._summary.compute_mean()
            self._init_summary()
            reporter.report(means)

    def _observe(self, values, **names):
        """Yield keys and values of all statistics of an array."""
        unknown = self._skip_nan_params and bool(
            backend.get_array_module(values).isnan(values).any())
        for function_name, function in self._statistics.items():
            key = self.report_key_template.format(function_name=function_name, **names)
            result: Any = numpy.nan if unknown else function(values)
            if getattr(result, 'ndim', 0) and result.size > 1:
                for i, element in enumerate(result):
                    yield '%s/%d' % (key, i), element
            else:
                yield key, result

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        _state.serialize_late_addition(self._trigger, serializer, '_trigger')
        _state.serialize_late_addition(self._summary, serializer, '_summary')
