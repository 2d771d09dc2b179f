"""The page shows what there is, however far a run came."""
import json

from tests.card import page

SIDE = {'times': [.02], 'host': [.01], 'functions': 10, 'losses': [1.], 'peak': 1 << 20}


def write(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def results(*lines):
    return ''.join(json.dumps(line) + '\n' for line in lines)


def test_nothing(tmp_path):
    text = page.make(tmp_path)
    assert text.count('| not run |') == 8
    assert '## ' not in text


def test_benchmark_that_was_killed(tmp_path):
    write(tmp_path / 'rows', 'results.jsonl', results(
        {'command': 'lstm_tf32', 'state': 'began'},
        {'command': 'lstm_tf32', 'state': 'timed out', 'seconds': 90.}))
    write(tmp_path / 'rows', 'lstm_tf32.log', 'timing ...\n')
    write(tmp_path / 'rows', 'lstm_tf32.bench.json', json.dumps({'rows': [
        {'row': 'lstm', 'size': 'batch 32', 'mode': 'tf32', 'chainer_fast': SIDE,
         'torch': {**SIDE, 'times': [.03]}}]}))
    text = page.write(tmp_path).read_text()
    assert '| rows | timed out | 1.5 |' in text
    assert '| lstm_tf32 | timed out, 90 s |' in text
    assert '20.000 ms' in text and '1.50 (1)' in text and 'timing ...' in text


def test_ends_of_logs(tmp_path):
    log = ''.join('line %d.\n' % i for i in range(100))
    for command in 'wrong', 'fine':
        write(tmp_path / 'first', command + '.log', log + '{"case": "x", "error": 1}\n')
    write(tmp_path / 'first', 'results.jsonl', results(
        {'command': 'wrong', 'state': 'failed', 'status': 1, 'seconds': 2.},
        {'command': 'fine', 'state': 'passed', 'seconds': 2.}) + '{"command": "cut')
    text = page.make(tmp_path)
    assert '| first | failed | 0.1 |' in text
    assert text.count('line 99.') == 1 and 'line 50.' not in text
    assert text.count('| x | 1 |') == 2


def test_many_failures(tmp_path):
    path = tmp_path / 'it.outcomes.jsonl'
    path.write_text(''.join(
        json.dumps(['test_%d' % i, 'failed', 'why %d' % (i % 2), i]) + '\n'
        for i in range(61)) + (
            '["last", "running", "", 7.5]\n["h", "absent", "h5py", 1]\n'))
    text = page.tests(path)
    assert text.startswith('1 absent, 61 failed, 1 running.')
    assert 'Not installed: h5py (1).' in text
    assert text.index('- 31 failed: why 0') < text.index('- 30 failed: why 1')
    assert '  - `test_8`\n  - and 26 more' in text and 'test_10' not in text
    assert '- running at the end, since 7.5 s: `last`' in text


def test_many_reasons(tmp_path):
    path = tmp_path / 'it.outcomes.jsonl'
    path.write_text(''.join(
        json.dumps(['test_%d' % i, 'failed', 'why %d' % i, i]) + '\n'
        for i in range(40)))
    assert page.tests(path).endswith('- and 10 more reasons')
