"""What the runner makes of processes that fail, die or hang, with stages of its own."""
import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from tests.card import commands, page, process, run, stages

ENDS = {
    'fine': 'print("some figures")',
    'wrong': 'import sys; print("before"); sys.exit(3)',
    'fault': 'import ctypes; print("before", flush=True); ctypes.string_at(1)',
    'slow': 'import time; print("before", flush=True); time.sleep(60)',
}


def python(name, code, minutes=1., **options):
    return commands.Command(name, [sys.executable, '-c', code], minutes, **options)


@pytest.fixture
def run_all(monkeypatch, tmp_path):
    """Run stages of commands; the answer is the status, and the states by stage."""
    monkeypatch.setattr(run, 'ask_machine', lambda context: {'card': 'a card'})
    previous = {number: signal.getsignal(number)
                for number in (signal.SIGTERM, signal.SIGHUP)}
    limit = resource.getrlimit(resource.RLIMIT_CORE)

    def run_all(*arguments, minutes=1., **chosen):
        monkeypatch.setattr(stages, 'STAGES', {
            name: commands.Stage('a title', minutes, lambda context, each=each: each)
            for name, each in chosen.items()})
        status = run.main(['--out', str(tmp_path), *arguments])
        return status, {name: {
            command: line['state'] for command, line in page.states(
                tmp_path / name).items()} for name in chosen}
    yield run_all
    resource.setrlimit(resource.RLIMIT_CORE, limit)
    for number, handler in previous.items():
        signal.signal(number, handler)


def test_what_goes_wrong_stops_nothing(run_all, tmp_path, capfdbinary):
    ends = [python(name, code, 1 / 60 if name == 'slow' else 1)
            for name, code in ENDS.items()]
    status, found = run_all(
        first=ends, last=[python('fine', ENDS['fine']),
                              python('absent', '', missing='no card')])
    assert status == 1
    assert found == {
        'first': {'fine': 'passed', 'wrong': 'failed', 'fault': 'died',
                  'slow': 'timed out'},
        'last': {'fine': 'passed', 'absent': 'skipped'}}
    lines = page.states(tmp_path / 'first')
    assert lines['wrong']['status'] == 3
    assert lines['fault']['signal'] == 'SIGSEGV'
    slow = (tmp_path / 'first/slow.log').read_text()
    assert slow.startswith('before\n') and 'Aborted' in slow and 'line 1' in slow
    assert b'some figures' in capfdbinary.readouterr().out
    text = (tmp_path / 'page.md').read_text()
    assert '| first | died |' in text and '| last | passed |' in text
    assert 'Fatal Python error: Segmentation fault' in text


def test_status_of_success(run_all, capfdbinary):
    assert run_all(first=[python('fine', '')]) == (0, {'first': {'fine': 'passed'}})


def test_children_end_as_well(run_all, tmp_path, capfdbinary):
    code = ('import subprocess, sys, time\n'
            'child = subprocess.Popen([sys.executable, "-c", "import signal, time; '
            'signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"])\n'
            'print(child.pid, flush=True)\n')
    run_all(first=[python('left', code),
                   python('hangs', code + 'time.sleep(60)', 2 / 60)])
    for name in 'left', 'hangs':
        log = (tmp_path / 'first' / (name + '.log')).read_text()
        assert gone(int(log.splitlines()[0]))


def gone(pid):
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        # Nobody may wait for orphans of a container.
        with open('/proc/%d/stat' % pid) as f:
            if f.read().rpartition(')')[2].split()[0] == 'Z':
                return True
        time.sleep(.05)
    return False


def test_time_of_a_stage(run_all, capfdbinary):
    assert run_all(minutes=1 / 60, first=[
        python('slow', ENDS['slow']), python('late', '')]) == (
            1, {'first': {'slow': 'timed out', 'late': 'not run'}})


def test_some_stages(run_all, capfdbinary):
    each = {'first': [python('fine', '')], 'last': [python('fine', '')]}
    assert run_all('2', **each)[1] == {'first': {}, 'last': {'fine': 'passed'}}
    # The page has what an earlier run left.
    assert run_all('first', **each)[1]['last'] == {'fine': 'passed'}
    with pytest.raises(SystemExit):
        run_all('3', **each)


def test_resume(run_all, tmp_path, capfdbinary):
    count = tmp_path / 'count'
    code = 'open(%r, "a").write("x")' % str(count)
    once, again = python('once', code), python('again', code + '; exit(1)')
    run_all(first=[once, again])
    run_all('--resume', first=[once, again])
    assert count.read_text() == 'xxx'
    run_all(first=[once, again])
    assert count.read_text() == 'xxxxx'


STOPPED = '''
import sys
from tests.card import commands, run, stages
run.ask_machine = lambda context: {'card': 'a card'}
stages.STAGES = {'first': commands.Stage('a title', 1, lambda context: [
    commands.Command('slow', [sys.executable, '-c', %r])])}
run.main(['--out', sys.argv[1]])
'''


@pytest.mark.parametrize('number', [
    signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_runner_that_is_killed(number, tmp_path):
    code = STOPPED % ENDS['slow'].replace('60', '9')
    process = subprocess.Popen([sys.executable, '-c', code, tmp_path],
                               stdout=subprocess.PIPE)
    while process.stdout.readline() != b'before\n':
        pass
    process.send_signal(number)
    process.communicate()
    assert process.returncode in (143, -number)
    page.write(tmp_path)
    text = (tmp_path / 'page.md').read_text()
    assert 'a card' in text
    assert page.states(tmp_path / 'first')['slow']['state'] == 'cut off'
    assert (tmp_path / 'first/slow.log').read_text().startswith('before\n')


def test_without_a_card(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run, 'ask_machine', lambda context: {
        'card': None, 'error': 'CuPy is not installed'})
    assert run.main(['--out', str(tmp_path), '1', 'upstream']) == 0
    said = capsys.readouterr().out
    assert said.startswith('No card: CuPy is not installed.')
    assert '1 first      at most 6 minutes' in said
    assert 'a checkout of Chainer' in said and 'sanitizer' not in said
    assert not (tmp_path / 'page.md').exists()


def test_a_machine_that_cannot_be_asked(monkeypatch, tmp_path):
    context = commands.Context(tmp_path, process.ROOT)
    monkeypatch.setattr(run.subprocess, 'run', lambda *args, **kwargs: (
        subprocess.CompletedProcess(args, -11, '')))
    assert run.ask_machine(context)['card'] is None


def test_facts_of_the_machine(tmp_path):
    facts = run.ask_machine(commands.Context(tmp_path, process.ROOT))
    assert facts['Python'] and 'numpy' in facts['libraries']
    assert facts['card'] or facts['error']


def test_sources_that_are_not_built(monkeypatch, tmp_path):
    assert process.built()
    root = tmp_path / 'root'
    for name in process.NEEDED:
        if '.' in name:
            root.mkdir(exist_ok=True)
            (root / name).write_text('')
        else:
            (root / name).mkdir(parents=True)
            (root / name / '__init__.py').write_text('')
    core = root / 'chainer_fast/_core'
    core.mkdir(parents=True)
    monkeypatch.setattr(process, 'ROOT', root)
    # It is compiled for another Python.
    (core / 'graph.cpython-39-x86_64-linux-gnu.so').write_text('')
    assert not process.built()
    copy = process.copy_tree(tmp_path / 'out/tree')
    assert sorted(p.name for p in copy.iterdir()) == sorted(process.NEEDED)


def test_commands_at_the_same_time(run_all, tmp_path, capfdbinary):
    # Each waits for what the other one writes.
    code = ('import pathlib, time\npathlib.Path(%r).write_text("")\n'
            'while not pathlib.Path(%r).exists(): time.sleep(.01)')
    paths = [str(tmp_path / name) for name in 'ab']
    both = tuple(python(name, code % each) for name, each in (
        ('one', tuple(paths)), ('other', tuple(paths[::-1]))))
    status, found = run_all(first=[both, (
        python('wrong', ENDS['wrong']), python('slow', ENDS['slow'], 1 / 60))])
    assert status == 1
    assert found == {'first': {'one': 'passed', 'other': 'passed', 'wrong': 'failed',
                               'slow': 'timed out'}}


def test_work_that_fills_its_time(run_all, tmp_path, capfdbinary):
    path = tmp_path / 'it.outcomes.jsonl'
    variables = {'environment': {'CARD_OUTCOMES': str(path)}, 'open_end': True}
    command = python('slow', ENDS['slow'], 1 / 60, **variables)
    assert run_all(first=[command]) == (1, {'first': {'slow': 'timed out'}})
    path.write_text('["a", "passed"]\n["b", "running"]\n')
    assert run_all(first=[command]) == (0, {'first': {'slow': 'stopped'}})
    path.write_text('["a", "failed"]\n')
    assert run_all(first=[command]) == (1, {'first': {'slow': 'failed'}})


def test_program_that_is_not_there(run_all, capfdbinary):
    status, found = run_all(first=[
        commands.Command('absent', ['/nowhere/program']), python('fine', '')])
    assert (status, found) == (1, {'first': {'absent': 'failed', 'fine': 'passed'}})


class Stubborn:
    """A process that the system cannot end, as one that waits for a card."""

    pid, returncode = -1, None

    def wait(self, seconds):
        raise subprocess.TimeoutExpired('it', seconds)


def test_process_that_cannot_be_killed(monkeypatch, tmp_path):
    real = process.Process(python('slow', ENDS['slow']), tmp_path / 'log', .1, tmp_path)
    stubborn, real._process = real._process, Stubborn()
    monkeypatch.setattr(process.os, 'killpg', lambda *args: None)
    monkeypatch.setattr(process, 'COPYING', .1)
    found = real.wait()
    assert (found['state'], found['reason']) == ('timed out', 'it cannot be killed')
    stubborn.kill()
    stubborn.wait()


def test_lines_are_json(run_all, tmp_path, capfdbinary):
    run_all(first=[python('fine', '')])
    lines = [json.loads(line) for line in (
        tmp_path / 'first/results.jsonl').read_text().splitlines()]
    assert [line['state'] for line in lines] == ['began', 'passed']
