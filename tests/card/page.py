"""Make a page in Markdown of results: ``python -m tests.card.page FOLDER``."""
import collections
import json
import pathlib
import sys

from tests.card import outcomes, stages

# From the worst to the best.
STATES = ('died', 'timed out', 'cut off', 'failed', 'not run', 'passed', 'skipped')
TAIL = 40       # lines of the log of what went wrong
NAMED = 50      # tests that went wrong


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


def cases(log):
    """Return the table of the cases that a program ran."""
    found = [line for line in lines_of(log) if 'case' in line]
    heads = list(dict.fromkeys(key for line in found for key in line))
    return table(heads, [[number(line.get(key, '')) for key in heads]
                         for line in found]) if found else ''


def tests(path):
    """Return how tests came out, and the names of those that went wrong."""
    if not path.exists():
        return ''
    found = outcomes.read(path)
    counts = collections.Counter(found.values())
    bad = [test for test, outcome in found.items() if outcome in outcomes.BAD]
    named = ['- %s: `%s`' % (found[test], test) for test in bad[:NAMED]]
    if len(bad) > NAMED:
        named.append('- and %d more' % (len(bad) - NAMED))
    return '%s.\n\n%s' % (', '.join('%d %s' % (n, outcome) for outcome, n in sorted(
        counts.items())), '\n'.join(named))


def steps(path):
    """Return the table of what a benchmark has measured so far."""
    if not path.exists():
        return ''
    from benchmarks.gpu import __main__ as benchmark
    report = json.loads(path.read_text())
    return table(benchmark.HEADS, [
        benchmark.line(row['row'], row['size'], row['mode'], {
            name: side for name, side in row.items()
            if name in ('chainer_fast', 'torch')})
        for row in report['rows']])


def tail(log):
    if not log.exists():
        return ''
    last = log.read_text(errors='replace').splitlines()[-TAIL:]
    return '````\n%s\n````\n' % '\n'.join(last)


def section(name, folder):
    """Yield the parts of the page about a stage."""
    commands = states(folder)
    yield '## %s: %s\n' % (name, state_of(commands))
    title = stages.STAGES[name].title
    yield title[0].upper() + title[1:] + '.\n'
    yield table(['command', 'state'], [[command, told(line)]
                                       for command, line in commands.items()])
    for command, line in commands.items():
        log = folder / (command + '.log')
        parts = [cases(log), tests(folder / (command + '.outcomes.jsonl')),
                 steps(folder / (command + '.bench.json'))]
        wrong = line['state'] not in ('passed', 'skipped', 'not run')
        # The doctor's findings are figures as well.
        if wrong or not any(parts):
            parts.append(tail(log))
        if any(parts):
            yield '### %s\n' % command
            yield from filter(None, parts)


def make(out):
    """Return the page of a folder of results."""
    machine = {}
    if (out / 'machine.json').exists():
        machine = json.loads((out / 'machine.json').read_text())
    parts = ['# A card, in stages\n', table(['machine', ''], machine.items())]
    summary, sections = [], []
    for name, stage in stages.STAGES.items():
        commands = states(out / name)
        seconds = sum(line.get('seconds', 0) for line in commands.values())
        summary.append([name, state_of(commands), '%.1f' % (seconds / 60), stage.title])
        if commands:
            sections += section(name, out / name)
    parts.append(table(['stage', 'state', 'minutes', 'what'], summary))
    return '\n'.join(parts + sections)


def write(out):
    """Write the page of a folder of results, and return its path."""
    path = pathlib.Path(out) / 'page.md'
    path.write_text(make(path.parent))
    return path


if __name__ == '__main__':
    print(write(sys.argv[1]))
