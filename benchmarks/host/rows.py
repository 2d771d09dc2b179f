"""The steps that are measured."""
import typing as tp

from benchmarks.gpu.rows import ROWS as _GPU_ROWS


class Row(tp.NamedTuple):
    """A step.

    Attributes
    ----------
    title : str
    arguments, tiny : dict
        Its arguments, and those with which it runs in no time.
    bars : dict of str to float
        How many times the time of a side the null device may take at most. The sides
        are those that are timed beside it.
    """

    title: str
    arguments: dict
    tiny: dict
    bars: dict


def _both(name, title, arguments, **bars):
    """Return a step by its name, and the same with ``static_graph``."""
    tiny = _GPU_ROWS[name].tiny
    return {name: Row(title, arguments, tiny, bars),
            name + '_static': Row(
                title + ', static_graph', arguments, tiny, dict.fromkeys(bars))}


ROWS = {
    **_both('small', '750 small functions', _GPU_ROWS['small'].sizes['8x8'],
            processor=2.5, torch=.5),
    **_both('perceptron', 'perceptron 64, batch 32, Adam',
            {'batch': 32, 'sizes': (64, 64, 64, 10)}, processor=None, torch=None),
    # A processor takes seconds for the arithmetic.
    **_both('resnet50', 'ResNet-50, batch 32, cuDNN',
            _GPU_ROWS['resnet50'].sizes['batch 32']),
}
