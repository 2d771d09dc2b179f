"""Extension that plots reported values."""
from __future__ import annotations

import importlib
import json
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chainer_fast import reporter
from chainer_fast import serializer as serializer_module
from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state, extension, util
from chainer_fast.training.extensions import _report_keys
from chainer_fast.training.trainer import Trainer

_MOST_MARKERS = 40


def _find_matplotlib(module='matplotlib'):
    """Import a module of Matplotlib; warn and return ``None`` if it is missing.

    ``matplotlib.pyplot`` is imported as late as possible, so that a program can choose
    its backend first.
    """
    try:
        importlib.import_module('matplotlib')
        return importlib.import_module(module)
    except ImportError:
        warnings.warn('Matplotlib is not installed, so nothing is plotted; install it '
                      'with `pip install matplotlib`', stacklevel=3)
        return None


def _draw_curve(axes, x, y, **options):
    """Plot a line whose markers do not overlap."""
    axes.plot(x, y, markevery=-(-len(x) // _MOST_MARKERS), **options)


def _draw_grid(axes, visible):
    # Fainter than curves; without a grid, options of its lines are not allowed.
    axes.grid(visible, **(dict(alpha=.4) if visible else {}))


class PlotReport(extension.Extension):
    """Extension that plots the means of reported values over a period.

    It must be called at each iteration; ``trigger`` determines when a period ends and
    the image is rewritten. Without Matplotlib, only a warning is issued.

    Parameters
    ----------
    y_keys : str or iterable of str
        Keys of the values to plot, all in one diagram.
    x_key : str
        Quantity on the horizontal axis: ``'iteration'``, ``'epoch'``, or the key of a
        plotted value.
    trigger : tuple or callable
        When to average and plot.
    postprocess : callable, optional
        Called with figure, axes and summary before the legend is added.
    filename : str, optional
        Name of the image in the folder of the trainer, ``'plot.png'`` by default. The
        suffix determines the format.
    marker : str
        Matplotlib's marker of the points; long curves have markers at some points
        only.
    grid : bool
        Whether to draw a grid.
    file_name : str, optional
        Former name of ``filename``.

    Warns
    -----
    UserWarning
        If Matplotlib is not installed; after the first period, if a key looks like a
        misspelling of one that is reported.

    Examples
    --------
    ::

        trainer.extend(extensions.PlotReport(
            ['main/loss', 'validation/main/loss'], 'epoch', filename='loss.png'))
    """

    def __init__(
            self, y_keys: str | Iterable[str], x_key: str = 'iteration',
            trigger: Sequence[Any] | Callable[..., Any] = (1, 'epoch'),
            postprocess: Callable[..., Any] | None = None,
            filename: str | None = None, marker: str = 'x', grid: bool = True, *,
            file_name: str = 'plot.png') -> None:
        _find_matplotlib()
        self._file_name = file_name if filename is None else filename
        self._trigger, self._postprocess = util.get_trigger(trigger), postprocess
        self._marker, self._grid = marker, grid
        self._x_key = x_key
        self._y_keys = (y_keys,) if isinstance(y_keys, str) else y_keys
        mistakes.require(self._y_keys, '__iter__', (
            "the keys of a PlotReport must be a list of keys, such as ['main/loss', "
            "'validation/main/loss']"))
        self._data = {key: [] for key in self._y_keys}
        self._init_summary()

    def _init_summary(self):
        self._summary = reporter.DictSummary()

    @staticmethod
    def available() -> bool:
        """Return whether Matplotlib is installed, and warn if it is not."""
        return _find_matplotlib() is not None

    def __call__(self, trainer: Trainer) -> None:
        pyplot = _find_matplotlib('matplotlib.pyplot')
        if pyplot is None:
            return
        observation = trainer.observation
        self._summary.add(
            {key: observation[key] for key in self._y_keys if key in observation})
        if not (trainer.is_before_training or self._trigger(trainer)):
            return

        if not trainer.is_before_training and not any(self._data.values()):
            _report_keys.check(self, self._y_keys, observation)
        means = {key: float(mean) for key, mean in self._summary.compute_mean().items()}
        x_values = dict(means, epoch=trainer.updater.epoch,
                        iteration=trainer.updater.iteration)
        for key in self._y_keys:
            if key in means:
                if self._x_key not in x_values:
                    raise KeyError('%s; the x_key of a PlotReport must be one of %s' % (
                        self._x_key, ', '.join(x_values)))
                self._data[key].append((x_values[self._x_key], means[key]))
        if any(self._data.values()):
            self._plot(pyplot, os.path.join(trainer.out, self._file_name))
        self._init_summary()

    def _plot(self, pyplot, path):
        figure, axes = pyplot.subplots()
        try:
            axes.set_xlabel(self._x_key)
            if self._x_key in ('epoch', 'iteration'):
                axes.xaxis.get_major_locator().set_params(integer=True)
            _draw_grid(axes, self._grid)
            for key in self._y_keys:
                if self._data[key]:
                    x, y = zip(*self._data[key], strict=True)
                    _draw_curve(axes, x, y, marker=self._marker, label=key)
            if self._postprocess is not None:
                self._postprocess(figure, axes, self._summary)
            # Outside of the axes, where it cannot cover a curve.
            legend = axes.legend(
                bbox_to_anchor=(1.02, 1), loc='upper left', borderaxespad=0.)
            self._save(
                figure, path, bbox_extra_artists=(legend,), bbox_inches='tight')
        finally:
            pyplot.close(figure)

    def _save(self, figure, path, **options):
        figure.savefig(path, **options)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        # A trainer may have several plots, whose states are identified by file name.
        name = '_plot_' + self._file_name
        reading = isinstance(serializer, serializer_module.Deserializer)
        text = serializer(name, '' if reading else json.dumps(self._data))
        if reading and text:  # a non-strict deserializer may return its argument
            self._data = json.loads(text)
        _state.serialize_late_addition(self._trigger, serializer, '_trigger')
        _state.serialize_late_addition(self._summary, serializer, '_summary')
