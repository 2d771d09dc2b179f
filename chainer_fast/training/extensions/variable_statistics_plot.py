"""Extension that plots statistics of the values of variables."""
from __future__ import annotations

import collections.abc
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast import backend, link, variable
from chainer_fast._help import mistakes
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.training import _state, extension, util
from chainer_fast.training.extensions import plot_report
from chainer_fast.training.trainer import Trainer
from chainer_fast.types import DTypeSpec, NdArray, Xp

if TYPE_CHECKING:
    from types import ModuleType



class Reservoir:
    """Uniform sample of fixed size from a stream of unknown length.

    Each of ``n`` arrays is in the sample with the probability ``size / n`` (algorithm
    R: Vitter, *Random sampling with a reservoir*, 1985). Random numbers come from
    ``numpy.random``.

    Parameters
    ----------
    size : int
        Size of the sample.
    data_shape : tuple of int
        Shape of each array.
    dtype : dtype
        dtype of the sample.
    """

    size: int
    counter: int

    def __init__(
            self, size: int, data_shape: Sequence[int],
            dtype: DTypeSpec = numpy.float32) -> None:
        self.size, self.counter = size, 0
        self.data: Any = numpy.zeros((size,) + tuple(data_shape), dtype)
        self.idxs: Any = numpy.zeros(size, numpy.int32)

    def add(self, x: NdArray, idx: int | None = None) -> None:
        """Add the next array of the stream to the sample, or discard it.

        Parameters
        ----------
        x : array
            The array.
        idx : int, optional
            Its index, the number of arrays before it by default.
        """
        number = self.counter
        self.counter += 1
        if number < self.size:
            place = number
        elif numpy.random.rand() < self.size / self.counter:
            place = numpy.random.randint(self.size)
        else:
            return
        self.data[place] = x
        self.idxs[place] = number if idx is None else idx

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the sample; random numbers depend on its size."""
        names = 'data', 'idxs', 'counter'
        if not isinstance(serializer, Deserializer):
            for name in names:
                serializer(name, getattr(self, name))
            return
        data, indices, counter = [serializer(name, None) for name in names]
        # The sample is restarted if its size has changed.
        if data is not None and data.shape == self.data.shape:
            self.data, self.idxs, self.counter = data, indices, int(counter)

    def get_data(self) -> tuple[NdArray, NdArray]:
        """Return the indices of the sample, sorted, and the arrays."""
        used = min(self.counter, self.size)
        order = numpy.argsort(self.idxs[:used])
        return self.idxs[order], self.data[order]


class Statistician:
    """Function that computes statistics of an array.

    Parameters
    ----------
    collect_mean, collect_std : bool
        Whether to compute the mean and the standard deviation.
    percentile_sigmas : float or tuple of float
        Percentiles to compute, from 0 to 100.
    """

    collect_mean: bool
    collect_std: bool

    def __init__(
            self, collect_mean: bool, collect_std: bool,
            percentile_sigmas: float | Sequence[float]) -> None:
        self.percentile_sigmas = percentile_sigmas
        self.collect_mean, self.collect_std = collect_mean, collect_std

    def __call__(
            self, x: NdArray, axis: int | tuple[int, ...] | None = 0,
            dtype: DTypeSpec = None, xp: Xp | None = None) -> dict[str, Any]:
        """Compute the statistics.

        Parameters
        ----------
        x : array
            The values.
        axis : int, tuple of int or None
            The axes to reduce.
        dtype, xp :
            Ignored; results have the dtype of NumPy's functions and are on the device
            of ``x``.

        Returns
        -------
        dict of array
            The requested ones of ``'mean'``, ``'std'`` and ``'percentile'``. The latter
            has the percentiles along its first axis.
        """
        return self.collect(x, axis)

    def collect(self, x: NdArray, axis: Any) -> dict[str, Any]:
        """Compute the statistics, like a call."""
        xp = backend.get_array_module(x)
        # An array makes NumPy compute in float64, unlike a number.
        wanted_percentiles = xp.asarray(self.percentile_sigmas, numpy.float64)
        wanted = {
            'mean': self.collect_mean and (lambda: x.mean(axis=axis)),
            'std': self.collect_std and (lambda: x.std(axis=axis)),
            'percentile': _count(self.percentile_sigmas) and (
                lambda: xp.percentile(x, wanted_percentiles, axis=axis)),
        }
        return {name: compute() for name, compute in wanted.items() if compute}


def _count(percentile_sigmas):
    return numpy.size(percentile_sigmas)


def _variables_of(targets):
    """Return all variables in a variable, a link, or nested lists of them."""
    if isinstance(targets, variable.Variable):
        return [targets]
    if isinstance(targets, link.Link):
        return list(targets.params())
    if isinstance(targets, collections.abc.Iterable) and not isinstance(
            targets, (str, *get_array_types())):
        return [found for target in targets for found in _variables_of(target)]
    return []


def _flat_values(arrays):
    """Join arrays into a flat one on the device of the first."""
    device = backend.get_device_from_array(arrays[0])
    with backend.using_device(device):
        return device.xp.concatenate([device.send(array).ravel() for array in arrays])


class VariableStatisticsPlot(extension.Extension):
    """Extension that plots statistics of variables over the training.

    It must be called at each iteration, and plots a random sample of the iterations:
    mean and standard deviation in the upper row, percentiles in the lower one, with
    columns for the data and the gradients. All variables are treated as one set of
    values. Without Matplotlib, only a warning is issued.

    Parameters
    ----------
    targets : Variable, Link, or list of them
        The variables; for a link, its parameters.
    max_sample_size : int
        Greatest number of iterations to show.
    report_data, report_grad : bool
        Whether to show the data and the gradients.
    plot_mean, plot_std : bool
        Whether to show the mean and the standard deviation.
    percentile_sigmas : float or tuple of float
        Percentiles to show. The defaults are those that lie zero to three standard
        deviations from the mean in a normal distribution, and the extrema. The areas
        between the first and the last, the second and the last but one, etc. are
        shaded.
    trigger : tuple or callable
        When to plot.
    filename : str, optional
        Name of the image in the folder of the trainer, ``'statistics.png'`` by default.
        The suffix determines the format.
    figsize : tuple of number, optional
        Width and height in inches.
    marker : str, optional
        Matplotlib's marker of the points; long curves have markers at some points only.
    grid : bool
        Whether to draw a grid.
    file_name : str, optional
        Former name of ``filename``.

    Raises
    ------
    ValueError
        If there is no variable, or nothing to plot.

    Examples
    --------
    ::

        trainer.extend(extensions.VariableStatisticsPlot(model.fc1.W,
            filename='fc1.png'))
    """

    def __init__(
            self, targets, max_sample_size: int = 1000, report_data: bool = True,
            report_grad: bool = True, plot_mean: bool = True, plot_std: bool = True,
            percentile_sigmas: float | Sequence[float] = (
                0, 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87, 100),
            trigger: Sequence[Any] | Callable[..., Any] = (1, 'epoch'),
            filename: str | None = None, figsize: Sequence[float] | None = None,
            marker: str | None = None, grid: bool = True, *,
            file_name: str = 'statistics.png') -> None:
        plot_report._find_matplotlib()
        self._vars = tuple(_variables_of(targets))
        if not self._vars:
            raise ValueError('%r contains no variable: pass a variable, a link with '
                             'parameters, or a list of them' % (targets,))
        self._report_data, self._report_grad = report_data, report_grad
        self._keys = [key for key, wanted in (('data', report_data),
                                              ('grad', report_grad)) if wanted]
        self._plot_mean, self._plot_std = plot_mean, plot_std
        n_percentiles = _count(percentile_sigmas)
        self._plot_percentile = n_percentiles > 0
        if not (plot_mean or plot_std or self._plot_percentile):
            raise ValueError('there is nothing to plot: set plot_mean or plot_std, or '
                             'pass percentile_sigmas')
        self._statistician = Statistician(plot_mean, plot_std, percentile_sigmas)
        self._trigger = util.get_trigger(trigger)
        self._filename = file_name if filename is None else filename
        self._figsize, self._marker, self._grid = figsize, marker, grid
        # A row for each statistic: the mean, the deviation, and the percentiles.
        self._data_shape = (
            len(self._keys), bool(plot_mean) + bool(plot_std) + n_percentiles)
        self._samples = Reservoir(max_sample_size, self._data_shape)

    @staticmethod
    def available() -> bool:
        """Return whether Matplotlib is installed, and warn if it is not."""
        return plot_report._find_matplotlib() is not None

    def __call__(self, trainer: Trainer) -> None:
        pyplot = plot_report._find_matplotlib('matplotlib.pyplot')
        if pyplot is None:
            return
        rows = numpy.zeros(self._data_shape, numpy.float32)
        for row, key in zip(rows, self._keys, strict=True):
            arrays = [getattr(var, key) for var in self._vars]
            arrays = [array for array in arrays if array is not None]
            if arrays:
                found = self._statistician(_flat_values(arrays), axis=None)
                row[:] = numpy.hstack([
                    backend.CpuDevice().send(part) for part in found.values()])
        self._samples.add(rows, idx=trainer.updater.iteration)
        if self._trigger(trainer):
            self.save_plot_using_module(
                os.path.join(trainer.out, self._filename), pyplot)

    def save_plot_using_module(self, file_path: str, plt: ModuleType) -> None:
        """Draw the sample.

        Parameters
        ----------
        file_path : str
            Path of the image.
        plt : module
            ``matplotlib.pyplot``.
        """
        if not self._keys:
            return
        panels = [self._draw_moments] * bool(self._plot_mean or self._plot_std)
        panels += [self._draw_percentiles] * self._plot_percentile
        iterations, data = self._samples.get_data()
        # Tick labels of the second column would overlap the first.
        figure, all_axes = plt.subplots(
            len(panels), len(self._keys), sharex=True, figsize=self._figsize,
            squeeze=False, layout='constrained')
        try:
            for column, key in enumerate(self._keys):
                all_axes[0, column].set_title(key)
                all_axes[-1, column].set_xlabel('iteration')
                for axes, draw in zip(all_axes[:, column], panels, strict=True):
                    draw(axes, iterations, data[:, column].T)
                    plot_report._draw_grid(axes, self._grid)
                    axes.legend(loc='best')
            figure.savefig(file_path)
        finally:
            plt.close(figure)

    def _draw_moments(self, axes, iterations, curves):
        label = 'mean' if self._plot_mean else 'std'
        if self._plot_mean and self._plot_std:
            label = 'mean, std'
            mean, deviation = curves[:2]
            axes.fill_between(iterations, mean - deviation, mean + deviation,
                              color='C0', alpha=.2, linewidth=0)
        self._draw_curve(axes, iterations, curves[0], label)

    def _draw_percentiles(self, axes, iterations, curves):
        curves = curves[bool(self._plot_mean) + bool(self._plot_std):]
        n_bands, has_middle = divmod(len(curves), 2)
        for i in range(n_bands):
            innermost = i == n_bands - 1 and not has_middle
            axes.fill_between(
                iterations, curves[i], curves[-1 - i], color='C0', alpha=.2,
                linewidth=0, label='percentile' if innermost else '_nolegend_')
        if has_middle:
            self._draw_curve(axes, iterations, curves[n_bands], 'percentile')

    def _draw_curve(self, axes, iterations, curve, label):
        plot_report._draw_curve(
            axes, iterations, curve, marker=self._marker, color='C0', label=label)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        _state.serialize_late_addition(self._trigger, serializer, '_trigger')
        _state.serialize_late_addition(self._samples, serializer, '_samples')
