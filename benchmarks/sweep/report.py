"""What a sweep has found: a table of all rows, and a summary by kind."""
import statistics

import table

WORST = 10


def write(file, ratios, threads):
    """Write all rows, separated by tabs.

    Parameters
    ----------
    file : text file
    ratios : dict
        By the title of a row and the number of threads, our time in seconds and the
        ratio of the peer's to it, or None where it has no counterpart.
    threads : list of int
        The numbers of threads.
    """
    heads = ['%s_%d' % (head, count) for count in threads
             for head in ('ours_ms', 'torch_over_ours')]
    print('case', *heads, sep='\t', file=file)
    for title in dict.fromkeys(title for title, _ in ratios):
        cells = []
        for count in threads:
            ours, ratio = ratios.get((title, count), (None, None))
            cells += ['' if ours is None else '%.4f' % (1e3 * ours),
                      '' if ratio is None else '%.2f' % ratio]
        print(title, *cells, sep='\t', file=file)


def read(file):
    """Return the ratios that ``write`` wrote, and the numbers of threads."""
    _, *heads = file.readline().rstrip('\n').split('\t')
    threads = [int(head.rpartition('_')[2]) for head in heads[::2]]
    ratios = {}
    for line in file:
        title, *cells = line.rstrip('\n').split('\t')
        for count, ours, ratio in zip(threads, cells[::2], cells[1::2], strict=True):
            if ours:
                ratios[title, count] = (
                    float(ours) / 1e3, float(ratio) if ratio else None)
    return ratios, threads


def summary(ratios, kinds, count):
    """Return the summary for a number of threads in Markdown.

    Parameters
    ----------
    ratios : dict
        As in ``write``.
    kinds : dict of str to str
        The kind of each row, by its title.
    count : int
    """
    found = {title: (ours, ratio) for (title, threads), (ours, ratio)
             in ratios.items() if threads == count and ratio is not None}
    if not found:
        return 'No row has a counterpart.\n'
    by_kind = {}
    for title, (_, ratio) in found.items():
        by_kind.setdefault(kinds.get(title, ''), []).append(ratio)
    lines = sorted([_line(kind, values) for kind, values in by_kind.items()],
                   key=lambda line: float(line[-1]))
    lines.append(_line('all', [ratio for _, ratio in found.values()]))
    worst = sorted(found.items(), key=lambda item: item[1][1])[:WORST]
    return '\n'.join([
        table.markdown(['kind, %d threads' % count, 'rows', 'below 0.9', 'below 1',
                        'median', 'worst'], lines),
        table.markdown(['worst rows', 'ours, ms', 'ratio'], [
            [title, '%.4f' % (1e3 * ours), '%.2f' % ratio]
            for title, (ours, ratio) in worst])])


def _line(kind, values):
    return [kind, str(len(values)), str(sum(value < .9 for value in values)),
            str(sum(value < 1 for value in values)),
            '%.2f' % statistics.median(values), '%.2f' % min(values)]
