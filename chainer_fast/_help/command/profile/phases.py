"""The tables of phases: the time spent in this thread and in parallel to it."""
import collections
import re

from chainer_fast._help.command.profile import loop, spans, table

# Phases within an extension are listed if they take more than this fraction of the
# total time.
_LEAST = 0.002


def text(profile):
    """Return the table of the first thread, and one of what ran in parallel.

    Parameters
    ----------
    profile : records.Profile

    Returns
    -------
    str
    """
    tables = [_main(profile)]
    beside = [*_threads(profile), *_workers(profile)]
    if beside:
        tables.append(table.text(['beside it', 'calls', 's'], beside))
    return '\n\n'.join(tables)


def _main(profile):
    rows = profile.threads[0].spans.rows
    on_device = any(row.device for row in rows.values())

    def line(name, found, calls):
        host, device = [sum(getattr(row, kind) for row in found)
                        for kind in ('host', 'device')]
        cells = [name, str(calls) if calls else '', '%.3f' % (host / 1e9),
                 '%.1f' % (100 * host / max(profile.elapsed, 1))]
        return [*cells, '%.3f' % (device / 1e9)] if on_device else cells

    lines = [line(phase, [rows[(), phase]], rows[(), phase].calls)
             for phase in loop.PHASES if ((), phase) in rows]
    groups = collections.defaultdict(dict)
    for (path, phase), row in rows.items():
        if path:
            groups[path[0]][path, phase] = row
    for name, found in sorted(groups.items(), key=lambda item: -_host(item[1])):
        lines.append(line(name, found.values(), _calls(found)))
        parts = {key: row for key, row in found.items()
                 if row.host > _LEAST * profile.elapsed}
        if any(phase for _, phase in parts):
            for (path, phase), row in sorted(
                    parts.items(), key=lambda item: -item[1].host):
                lines.append(line('  ' + ' '.join(
                    [*path[1:], phase or 'its own']), [row], row.calls))
    lines.append(line('else', [rows[(), None]], 0))
    lines.append(line('all', rows.values(), 0))
    heads = ['phase', 'calls', 's', '%']
    return table.text([*heads, 'GPU s'] if on_device else heads, lines)


def _host(rows):
    return sum(row.host for row in rows.values())


def _calls(rows):
    return sum(row.calls for (path, phase), row in rows.items()
               if len(path) == 1 and phase is None)


def _threads(profile):
    """Yield lines for other threads, grouping threads with similar names."""
    kinds = collections.defaultdict(lambda: collections.defaultdict(spans.Row))
    for thread in profile.threads[1:]:
        kind = re.sub('[0-9]+', 'N', thread.name)
        for (_, phase), row in list(thread.spans.rows.items()):
            total = kinds[kind][phase]
            total.calls += row.calls
            total.host += row.host
    for kind, rows in kinds.items():
        for phase in loop.PHASES:
            if phase in rows:
                yield ['thread %s: %s' % (kind, phase), str(rows[phase].calls),
                       '%.3f' % (rows[phase].host / 1e9)]


def _workers(profile):
    """Yield a line for the processes that read examples."""
    tasks = [task for _, tasks in profile.workers for task in tasks]
    if tasks:
        yield ['%d processes that read examples' % len(profile.workers),
               str(len(tasks)), '%.3f' % (sum(e - b for b, e in tasks) / 1e9)]
