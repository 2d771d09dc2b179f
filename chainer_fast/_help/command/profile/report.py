"""The text of a profile."""
from chainer_fast._help import installation
from chainer_fast._help.command.profile import phases, table
from chainer_fast.backends._onednn import library
from chainer_fast.configuration import config

# Rows with less than this fraction of their table's time are not listed; those of
# functions are summed in one row.
_LEAST = 0.002
_MIB = 2 ** 20


def text(profile):
    """Return the tables of a finished profile.

    Parameters
    ----------
    profile : records.Profile

    Returns
    -------
    str
    """
    parts = [_head(profile), phases.text(profile)]
    if profile.functions():
        parts.append(_functions(profile))
    if profile.links():
        parts.append(_links(profile))
    return '\n\n'.join(parts)


def _milliseconds(nanoseconds):
    return '%.1f' % (nanoseconds / 1e6) if nanoseconds else ''


def _head(profile):
    return 'chainer_fast: %.2f s; version %s\n%s' % (
        profile.elapsed / 1e9, installation.versions(), _onednn())


def _onednn():
    level = config.use_ideep
    if level == 'never':
        return "oneDNN is not used: config.use_ideep is 'never'"
    if not library.available():
        return 'oneDNN is not used: ' + library.reason()
    return 'oneDNN %s: config.use_ideep is %r' % (library.version(), level)


def _functions(profile):
    """Return the table of functions, the longest first."""
    rows, small = [], []
    times = {name: sum(row.times.values())
             for name, row in profile.functions().items()}
    least = _LEAST * sum(times.values())
    for name, row in profile.functions().items():
        (rows if times[name] >= least else small).append((name, row))
    # A few remaining functions do not deserve a row.
    if len(small) < 3:
        rows, small = rows + small, []
    lines = [[
        name, str(row.calls), _milliseconds(row.times['forward']),
        _milliseconds(row.times['backward']), '%.1f' % (row.bytes / _MIB),
        _paths(row.paths['forward']), _paths(row.paths['backward']),
        _reasons(row.reasons)] for name, row in rows]
    if small:
        found = [row for _, row in small]
        lines.append([
            '%d others' % len(small), str(sum(row.calls for row in found)),
            *[_milliseconds(sum(row.times[d] for row in found))
              for d in ('forward', 'backward')],
            '%.1f' % (sum(row.bytes for row in found) / _MIB), '', '', ''])
    return table.text(
        ['function', 'calls', 'forward ms', 'backward ms', 'MiB', 'forward by',
         'backward by', 'not faster because of'], lines)


def _paths(counts):
    """Return paths, the most frequent first, with counts if there are several."""
    if len(counts) == 1:
        return next(iter(counts))
    return ', '.join('%s (%d)' % item for item in counts.most_common())


def _reasons(counts):
    found = [reason for reason, _ in counts.most_common(3)]
    return '; '.join(found + ['...'] * (len(counts) > 3))


def _links(profile):
    """Return the table of links, each below its caller."""
    lines = []
    found = profile.links()
    # The times of the top links include those of all others.
    least = _LEAST * sum(
        row.forward + row.backward for path, row in found.items() if len(path) == 1)
    for path, row in found.items():
        if row.forward + row.backward < least:
            continue
        name = path[-1] if path[-1] == row.kind else '%s (%s)' % (path[-1], row.kind)
        lines.append([
            '  ' * (len(path) - 1) + name, str(row.calls),
            _milliseconds(row.forward), _milliseconds(row.backward),
            '%.1f' % (row.bytes / _MIB)])
    return table.text(
        ['link, with those that it calls', 'calls', 'forward ms', 'backward ms', 'MiB'],
        lines)
