"""The table: figures of chainer_fast, and ratios of the others' to it."""
import statistics

from sides import NAMES, OWN


def ratio(theirs, ours):
    """Return the median of ratios within the rounds."""
    return statistics.median([a / b for a, b in zip(theirs, ours, strict=True)])


def row(title, values, bars, unit, own='chainer_fast'):
    """Return cells by column: our figure, and each peer's ratio and bar.

    Parameters
    ----------
    title : str
    values : dict of str to list of float
        Measurements of each side, those of a round at the same place.
    bars : dict of str to float
        The ratios required of each side.
    unit : str
        Format of our figure.
    own : str
        The side that is ours, of ``OWN``. Plain chainer_fast stands beside that by
        ``static_graph``.
    """
    cells = {'workload': title, 'ours': unit % statistics.median(values[own])}
    met = True
    for name, theirs in values.items():
        if name in OWN and (own, name) != ('static', 'chainer_fast'):
            continue
        found, bar = ratio(theirs, values[own]), bars.get(name)
        cells[NAMES[name]] = '%.2f' % found
        if bar is not None:
            met = met and found >= bar
            cells[NAMES[name]] += ' (%.4g)' % bar
    cells['met'] = '' if not bars else 'yes' if met else 'no'
    return cells


def memory(peaks, own):
    """Return cells with the most memory of a step, ours and that of the others."""
    if own not in peaks:
        return {}
    values = [peaks[own]] + [
        peak for name, peak in peaks.items() if name not in OWN]
    return {'MiB': ' / '.join('%.0f' % (value / 2 ** 20) for value in values)}


def compiling(starts, own):
    """Return a cell: seconds that each compiler took, or why it did not compile."""
    found = ['%s %s' % (
        NAMES[name], 'refused: ' + start['refused'] if start['refused']
        else '%.2g s' % start['seconds'])
        for name, start in starts.items() if name == own or name not in OWN]
    return {'compiling': ', '.join(found)} if found else {}


def show(rows, own='chainer_fast'):
    """Print rows in Markdown; columns are those of any row."""
    order = ['workload', 'threads', 'ours', *NAMES.values(), 'met', 'MiB', 'compiling']
    heads = [head for head in order if any(head in cells for cells in rows)]
    lines = [[cells.get(head, '') for head in heads] for cells in rows]
    heads = [NAMES[own] if head == 'ours' else head for head in heads]
    print(markdown(heads, lines), end='')


def markdown(heads, lines):
    """Return a table of cells."""
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    return ''.join([
        '| ' + ' | '.join(map(str.ljust, cells, widths)) + ' |\n'
        for cells in [heads, ['-' * width for width in widths], *lines]])
