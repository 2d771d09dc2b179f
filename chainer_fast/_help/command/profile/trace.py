"""Traces that https://ui.perfetto.dev and chrome://tracing open."""
import itertools
import json
import os

# Rows have numbers in Chrome's format; those of GPUs are above those of threads.
_FIRST_GPU = 1_000_000


def write(profile, path):
    """Write the events of a profile in the Trace Event Format of Chrome.

    Parameters
    ----------
    profile : records.Profile
    path : str
        A file, which is replaced.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with open(path, 'w', encoding='utf-8') as f:
        f.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
        f.write(',\n'.join(map(json.dumps, _events(profile))))
        f.write('\n]}\n')


def _events(profile):
    """Yield events as dictionaries, outer events before inner ones."""
    process = os.getpid()
    yield _name('process', process, process, 'program')
    for number, thread in enumerate(profile.threads, 1):
        spans = thread.spans
        yield _name('thread', process, number, thread.name)
        yield from _complete(profile, process, number, spans.events)
        if spans.clock is not None:
            row = _FIRST_GPU + number
            yield _name('thread', process, row, 'GPU %d, used by %s' % (
                spans.clock.device, thread.name))
            yield from _complete(profile, process, row, [
                (phase or groups[-1], 'GPU', begin, end)
                for (groups, phase), begin, end in spans.clock.spans
                if phase or groups])
    # A later process may have reused the number.
    workers = sorted(profile.workers, key=lambda worker: worker[0])
    for number, found in itertools.groupby(workers, lambda worker: worker[0]):
        yield _name('process', number, number, 'reader of examples')
        yield from _complete(profile, number, number, [
            ('examples', 'worker', *task) for _, tasks in found for task in tasks])


def _name(kind, process, thread, name):
    return {'ph': 'M', 'name': kind + '_name', 'pid': process, 'tid': thread,
            'args': {'name': name}}


def _complete(profile, process, thread, events):
    for name, category, begin, end in sorted(
            events, key=lambda event: (event[2], -event[3])):
        yield {'ph': 'X', 'name': name, 'cat': category, 'pid': process, 'tid': thread,
               'ts': (begin - profile.begin) / 1e3, 'dur': (end - begin) / 1e3}
