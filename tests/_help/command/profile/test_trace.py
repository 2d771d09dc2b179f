"""The files of profiles that Perfetto opens: the Trace Event Format."""
import collections
import json
import textwrap

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast._help.command.profile import spans, trace
from tests._help.command.profile.taken import taken
from tests.compat import processes

SCRIPT = '''
    import sys, threading, os
    import numpy as np
    import chainer
    import chainer.links as L
    if __name__ == '__main__':      # which readers import, unless they are forked
        model = L.Classifier(L.Linear(4, 3))
        optimizer = chainer.optimizers.SGD().setup(model)
        data = chainer.datasets.TupleDataset(np.ones((8, 4), 'f'), np.zeros(8, 'i'))
        iterator = chainer.iterators.MultiprocessIterator(
            data, 2, n_processes=2, shared_mem=0)
        updater = chainer.training.StandardUpdater(iterator, optimizer)
        trainer = chainer.training.Trainer(updater, (3, 'iteration'), '.')
        trainer.extend(chainer.training.extensions.LogReport())
        trainer.run()
        example, = next(chainer.iterators.SerialIterator(
            [(np.ones((2, 4), 'f'), np.zeros(2, 'i'))], 1))
        thread = threading.Thread(target=model, args=example, name='second')
        thread.start()
        thread.join()
        os.chdir('/')
'''


def run(tmp_path, end='', path='trace.json'):
    (tmp_path / 'script.py').write_text(textwrap.dedent(SCRIPT + end))
    return processes.start(
        '-m', 'chainer_fast', '--profile=' + path, 'script.py', cwd=tmp_path)


def check(path):
    """Return the events of a trace by process and thread, when they have been checked.

    Those of a thread nest, as the format asks for, and all rows have names.
    """
    with open(path) as f:
        events = json.load(f)['traceEvents']
    names = {(event['name'], event['pid'], event['tid']): event['args']['name']
             for event in events if event['ph'] == 'M'}
    rows = collections.defaultdict(list)
    for event in events:
        if event['ph'] == 'M':
            continue
        assert event['ph'] == 'X' and event['name'] and event['cat']
        assert event['ts'] >= 0 <= event['dur']
        rows[event['pid'], event['tid']].append(event)
    found = {}
    for (process, thread), row in rows.items():
        ends = []
        for event in row:
            end = event['ts'] + event['dur']
            while ends and ends[-1] <= event['ts'] + 1e-3:
                ends.pop()
            assert not ends or end <= ends[-1] + 1e-3, event
            ends.append(end)
        name = names.get(('thread_name', process, thread)) or names[
            'process_name', process, thread]
        found.setdefault(name, []).extend(row)
    return found


@pytest.mark.parametrize('end, status', [('', 0), ('        sys.exit(3)', 3),
                                         ('        1 / 0', 1)])
def test_program(tmp_path, end, status):
    process = run(tmp_path, end)
    assert process.returncode == status
    assert 'trace.json' in process.stderr.splitlines()[-1]
    rows = check(tmp_path / 'trace.json')
    main = collections.Counter(
        (event['cat'], event['name']) for event in rows['MainThread'])
    assert main['phase', 'iteration 0'] == main['phase', 'iteration 2'] == 1
    assert main['phase', 'backward'] == main['phase', 'converter'] == 3
    assert main['forward', 'LinearFunction'] == main['link', 'predictor'] == 3
    assert main['backward', 'LinearFunction'] == 3
    assert main['group', 'LogReport'] == 3
    assert {event['name'] for event in rows['second']} >= {'forward', 'LinearFunction'}
    readers = rows['reader of examples']
    assert {event['name'] for event in readers} == {'examples'}
    assert len({event['pid'] for event in readers}) == 2


def test_events_of_a_model():
    x = chainer.Variable(np.ones((3, 4), 'f'))
    model = L.Linear(4, 2)
    with taken(traced=True) as found:
        F.sum(F.tanh(model(x))).backward()
    events = found.profile.threads[0].spans.events
    assert [name for name, category, *_ in events if category == 'forward'] == [
        'LinearFunction', 'Tanh', 'Sum']
    assert [name for name, category, *_ in events if category == 'backward'] == [
        'Sum', 'Tanh', 'LinearFunction']
    phases = {name: (begin, end) for name, category, begin, end in events
              if category == 'phase'}
    for name, category, begin, end in events:
        if category == 'backward':
            assert phases['backward'][0] <= begin <= end <= phases['backward'][1], name


def test_no_events_without_a_trace():
    with taken() as found:
        F.relu(np.ones(3, 'f'))
    assert found.profile.threads[0].spans.events is None


def test_long_trace(monkeypatch, tmp_path):
    monkeypatch.setattr(spans, 'MOST_EVENTS', 5)
    with taken(traced=True) as found:
        for _ in range(10):
            F.relu(np.ones(3, 'f'))
    trace.write(found.profile, tmp_path / 'trace.json')
    row, = check(tmp_path / 'trace.json').values()
    assert len(row) == 5
    assert found.phases['forward'].calls == 10


@pytest.mark.parametrize('path, problem', [
    ('script.py', '--profile=script.py: the name of a trace must end in .json'),
    ('missing/trace.json', 'does not exist')])
def test_no_place_for_a_trace(tmp_path, path, problem):
    process = run(tmp_path, path=path)
    assert process.returncode == 2
    assert problem in process.stderr
    assert 'updates' not in process.stdout


def test_trace_that_cannot_be_written(tmp_path):
    (tmp_path / 'trace.json').mkdir()
    process = run(tmp_path)
    assert process.returncode == 0
    assert 'The trace could not be written: ' in process.stderr
    assert 'LinearFunction' in process.stderr
