"""Tables of the measurements of a hook."""


def largest_unit(value, factors, default):
    """Return the unit in which a quantity is at least one.

    Parameters
    ----------
    value : float
        The quantity, in the base unit.
    factors : dict of str to float
        Units, the largest first, and their conversion factors.
    default : str
        Unit of quantities that are too small for any of the units.

    Returns
    -------
    tuple of (float, str)
        Factor and unit.
    """
    for unit, factor in factors.items():
        if value * factor >= 1:
            return factor, unit
    return factors[default], default


def print_report(
        summary, columns, unit, choose_unit, factors, file, title='FunctionName'):
    """Print a table with one line for each function or link.

    Parameters
    ----------
    summary : dict of str to dict
        Measurements of each name.
    columns : dict of str to str
        Titles of the columns of quantities, and their keys in the summary.
    unit : str
        Unit of the quantities, ``'auto'`` for the unit of the largest quantity in the
        column, or ``'auto_foreach'`` for a suitable unit for each quantity.
    choose_unit : callable
        ``choose_unit(value) -> (factor, unit)``.
    factors : dict of str to float
        Units and their conversion factors.
    file : file-like
        Stream to print to.
    title : str
        Title of the column of names.
    """
    entries = list(summary.values())
    cells = [[title, *summary]]
    for heading, key in columns.items():
        values = [entry[key] for entry in entries]
        if unit == 'auto_foreach':
            scales = [choose_unit(value) for value in values]
        elif unit == 'auto':
            scales = [choose_unit(max(values, default=0))] * len(values)
        else:
            scales = [(factors[unit], unit)] * len(values)
        cells.append([heading, *[
            '%.2f%s' % (value * factor, name)
            for value, (factor, name) in zip(values, scales, strict=True)]])
    cells.append(['Occurrence', *[str(entry['occurrence']) for entry in entries]])
    widths = [max(map(len, column)) for column in cells]
    for line in zip(*cells, strict=True):
        print('  '.join(map(str.rjust, line, widths)), file=file)
