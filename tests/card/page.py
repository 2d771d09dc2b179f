"""Make a page in Markdown of results: ``python -m tests.card.page FOLDER``."""
import collections
import json
import pathlib
import sys

from tests.card import outcomes, stages

# From the worst to the best.
STATES = ('died', 'timed out', 'cut off', 'failed', 'not run', 'stopped', 'passed',
          'skipped')
FINE = 'stopped', 'passed', 'skipped'
TAIL = 40       # lines of the log of what went wrong
REASONS = 30    # different ones
NAMED = 5       # tests that went wrong for one


def lines_of(path):
    """Yield what is in the lines of a file that are JSON objects."""
    if not path.exists():
        return
    with open(path, errors='replace') as f:
        for line in f:
            if line.startswith('{'):
                try:
                    yield json.loads(line)
                except ValueError:      # the last one may have been cut off
                    pass


def states(folder):
    """Return the last lines about the commands of a stage, by their names."""
    found = {line['command']: line for line in lines_of(folder / 'results.jsonl')}
    for line in found.values():
        if line['state'] == 'began':
            line['state'] = 'cut off'
    return found


def told(found):
    """Return what became of a command, in words."""
    return ', '.join(str(each) for each in (
        found['state'], found.get('signal'), found.get('reason'),
        'status %d' % found['status'] if 'status' in found else None,
        '%.0f s' % found['seconds'] if 'seconds' in found else None) if each)


def state_of(commands):
    """Return the state of a stage, that of its worst command."""
    found = {line['state'] for line in commands.values()}
    return next((state for state in STATES if state in found), 'not run')


def table(heads, rows):
    """Return a table in Markdown."""
    return ''.join('| %s |\n' % ' | '.join(
        str(cell).replace('|', '/').replace('\n', ' ') for cell in row)
        for row in [heads, ['---'] * len(heads), *rows])


def number(value):
    return '%.3g' % value if isinstance(value, float) else value


def last_of_cases(log):
    """Return the last line about each case that a program ran, by its name."""
    found = {line['case']: line for line in lines_of(log) if 'case' in line}
    for line in found.values():
        if line.get('state') == 'began':
            line['state'] = 'cut off'
    return found


def cases(log):
    """Return the table of the cases that a program ran."""
    known = last_of_cases(log).values()
    found = [line for line in known if line.get('state') != 'not run']
    heads = list(dict.fromkeys(key for line in found for key in line))
    parts = [table(heads, [[number(line.get(key, '')) for key in heads]
                           for line in found])] if found else []
    if len(found) < len(known):
        parts.append('%d cases did not run.\n' % (len(known) - len(found)))
    return '\n'.join(parts)


def tests(path):
    """Return how tests came out, and the names of those that went wrong, by reason."""
    if not path.exists():
        return ''
    found = outcomes.records(path)
    counts = collections.Counter(outcome for outcome, *_ in found.values())
    parts = ['%s.\n' % ', '.join('%d %s' % (n, outcome) for outcome, n in sorted(
        counts.items()))]
    absent = collections.Counter(
        rest[1] for rest in found.values() if rest[0] == 'absent')
    if absent:
        parts.append('Not installed: %s.\n' % ', '.join(
            '%s (%d)' % each for each in absent.most_common()))
    by_reason = {}
    for test, (outcome, *rest) in found.items():
        if outcome in outcomes.BAD:
            by_reason.setdefault((outcome, *rest[:1]), []).append(test)
    reasons = sorted(by_reason.items(), key=lambda each: -len(each[1]))
    for why, names in reasons[:REASONS]:
        parts.append('- %d %s' % (len(names), ': '.join(why)))
        parts += ['  - `%s`' % name for name in names[:NAMED]]
        if len(names) > NAMED:
            parts.append('  - and %d more' % (len(names) - NAMED))
    if len(reasons) > REASONS:
        parts.append('- and %d more reasons' % (len(reasons) - REASONS))
    # One that began long before the end may have hung.
    running = sorted((rest[1] if rest else 0, test)
                     for test, (outcome, *rest) in found.items()
                     if outcome == 'running')
    parts += ['- running at the end, since %s s: `%s`' % each for each in running]
    return '\n'.join(parts)


def steps(path):
    """Return the table of what a benchmark has measured so far."""
    if not path.exists():
        return ''
    from benchmarks.gpu import __main__ as benchmark
    report = json.loads(path.read_text())
    return table(benchmark.HEADS, [
        benchmark.line(row['row'], row['size'], row['mode'], {
            name: side for name, side in row.items() if isinstance(side, dict)})
        for row in report['rows']])


def tail(log):
    if not log.exists():
        return ''
    last = log.read_text(errors='replace').splitlines()[-TAIL:]
    return '````\n%s\n````\n' % '\n'.join(last) if last else ''


def section(name, title, folder):
    """Yield the parts of the page about a stage."""
    commands = states(folder)
    yield '## %s: %s\n' % (name, state_of(commands))
    yield title[0].upper() + title[1:] + '.\n'
    yield table(['command', 'state'], [[command, told(line)]
                                       for command, line in commands.items()])
    for command, line in commands.items():
        log = folder / (command + '.log')
        parts = [cases(log), tests(folder / (command + '.outcomes.jsonl')),
                 steps(folder / (command + '.bench.json'))]
        wrong = line['state'] not in (*FINE, 'not run')
        # The doctor's findings are figures as well.
        if wrong or not any(parts):
            parts.append(tail(log))
        if any(parts):
            yield '### %s\n' % command
            yield from filter(None, parts)


def make(out, chosen=None, title='A card, in stages'):
    """Return the page of a folder of results.

    Parameters
    ----------
    out : pathlib.Path
    chosen : dict of str to commands.Stage, optional
        Those of ``make card`` by default.
    title : str
    """
    machine = {}
    if (out / 'machine.json').exists():
        machine = json.loads((out / 'machine.json').read_text())
    parts = ['# %s\n' % title, table(['machine', ''], machine.items())]
    summary, sections = [], []
    for name, stage in (stages.STAGES if chosen is None else chosen).items():
        commands = states(out / name)
        seconds = sum(line.get('seconds', 0) for line in commands.values())
        summary.append([name, state_of(commands), '%.1f' % (seconds / 60), stage.title])
        if commands:
            sections += section(name, stage.title, out / name)
    parts.append(table(['stage', 'state', 'minutes', 'what'], summary))
    return '\n'.join(parts + sections)


def write(out, **options):
    """Write the page of a folder of results, and return its path."""
    path = pathlib.Path(out) / 'page.md'
    path.write_text(make(path.parent, **options))
    return path


if __name__ == '__main__':
    print(write(sys.argv[1]))
