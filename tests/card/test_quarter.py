"""The two visits: what they leave when every step fails, hangs or dies."""
import dataclasses
import json
import os
import resource
import signal
import sys
import tarfile
import time

import pytest

from tests.card import archive, page, process, quarter, visits
from tests.card.commands import Command, Stage, together

WAYS = {
    'fails': 'print("before"); raise SystemExit(3)',
    'dies': 'import os; print("before", flush=True); os.abort()',
    'hangs': 'import time; print("before", flush=True); time.sleep(60)',
    'passes': 'print("before")',
}
STATES = {'fails': 'failed', 'dies': 'died', 'hangs': 'timed out', 'passes': 'passed'}


@pytest.fixture
def visit(monkeypatch, tmp_path):
    """Make a visit whose commands are replaced; return its status and its files."""
    handlers = {number: signal.getsignal(number)
                for number in (signal.SIGTERM, signal.SIGHUP)}
    limit = resource.getrlimit(resource.RLIMIT_CORE)
    monkeypatch.setattr(sys, 'path', [*sys.path])
    monkeypatch.setattr(process, 'NEEDED', ['pyproject.toml'])
    monkeypatch.setattr(visits, 'absent', lambda *modules: '')
    monkeypatch.setenv('PYTHONPATH', os.environ.get('PYTHONPATH', ''))
    out = tmp_path / 'out'
    monkeypatch.setenv('OUT', str(out))
    wheels = tmp_path / 'wheels'
    wheels.mkdir()
    (wheels / 'it-1-py3-none-any.whl').write_bytes(b'')

    def visit(name, replace, *arguments):
        stages = {key: Stage(stage.title, stage.minutes, replaced(key, stage, replace))
                  for key, stage in visits.VISITS[name].items()}
        monkeypatch.setitem(visits.VISITS, name, stages)
        status = quarter.main(
            [name, '--rehearse', '--wheels', str(wheels), *arguments])
        with tarfile.open(out / archive.NAME) as packed:
            packed.extractall(tmp_path / 'left', filter='data')
        return status, out, tmp_path / 'left'

    yield visit
    resource.setrlimit(resource.RLIMIT_CORE, limit)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def replaced(stage, original, replace):
    def commands(context):
        for each in original.commands(context):
            found = tuple(replace(stage, command) for command in together(each))
            yield found if isinstance(each, tuple) else found[0]
    return commands


def ending(way):
    """Return what makes a command end in some way, soon."""
    def replace(stage, command):
        code = WAYS[way]
        return dataclasses.replace(
            command, argv=[sys.executable, '-c', code], missing='',
            minutes=.3 / 60 if way == 'hangs' else command.minutes)
    return replace


def ended(left, name):
    return {stage: {command: line['state']
                    for command, line in page.states(left / stage).items()}
            for stage in visits.VISITS[name]}


@pytest.mark.parametrize('name', visits.VISITS)
@pytest.mark.parametrize('way', WAYS)
def test_every_step(visit, name, way, capfdbinary):
    status, out, left = visit(name, ending(way))
    assert status == int(way != 'passes')
    assert sorted(os.listdir(out)) == ['page.md', archive.NAME]
    text = (out / 'page.md').read_text()
    assert 'A card, the %s visit' % name in text
    for stage, states in ended(left, name).items():
        assert states and set(states.values()) == {STATES[way]}, (stage, states)
        assert '## %s: ' % stage in text
        for command in states:
            assert (left / stage / (command + '.log')).read_text().startswith('before')


@pytest.mark.parametrize('name, stage', [
    (name, stage) for name, stages in visits.VISITS.items() for stage in stages])
@pytest.mark.parametrize('way', ['fails', 'hangs'])
def test_one_stage(visit, name, stage, way, capfdbinary):
    """What is wrong in one stage leaves the others as they are."""
    def replace(each, command):
        return ending(way if each == stage else 'passes')(each, command)

    status, _, left = visit(name, replace)
    found = ended(left, name)
    for each, states in found.items():
        expected = STATES[way if each == stage else 'passes']
        assert set(states.values()) == {expected}, each
    assert status == 1


def test_facts_of_the_machine(visit, tmp_path, capfdbinary):
    (tmp_path / 'wheels/commit').write_text('0123\n')
    facts = json.dumps({'card': 'a card', 'commit': ''})

    def replace(stage, command):
        found = ending('passes')(stage, command)
        if command.name == 'versions':
            found.argv = [sys.executable, '-c', 'print(%r)' % facts]
        return found

    _, out, _ = visit('second', replace)
    text = (out / 'page.md').read_text()
    assert '| card | a card |' in text and '| commit | 0123 |' in text


def test_archive_of_the_first_visit(visit, tmp_path, capfdbinary):
    visit('second', ending('passes'), '--first', str(tmp_path / 'nowhere'))
    assert b'no archive of the first visit at %s' % bytes(
        tmp_path / 'nowhere') in capfdbinary.readouterr().out


def test_time_of_a_visit(visit, monkeypatch, capfdbinary):
    monkeypatch.setattr(quarter, 'LAST', 0)
    begin = time.monotonic()
    status, _, left = visit('first', lambda stage, command: dataclasses.replace(
        ending('hangs')(stage, command), minutes=1), '--minutes', '.01')
    assert status == 1 and time.monotonic() - begin < 20
    found = ended(left, 'first')
    assert found['start']['install'] == 'timed out'
    assert set(found['timed'].values()) == {'not run'}


def test_archives_in_the_midst_of_a_stage(visit, monkeypatch, tmp_path, capfdbinary):
    """What kills the visit leaves what there was some seconds before."""
    monkeypatch.setattr(quarter, 'OFTEN', .05)
    code = ('import pathlib, sys, time\nprint("seen", flush=True)\n'
            'path = pathlib.Path(%r)\n' % str(tmp_path / 'out' / archive.NAME) +
            'import tarfile\n'
            'for _ in range(500):\n'
            '    time.sleep(.02)\n'
            '    if path.exists():\n'
            '        with tarfile.open(path) as a:\n'
            '            if "tests/gpu.log" in a.getnames(): sys.exit(0)\n'
            'sys.exit(1)\n')

    def replace(stage, command):
        found = ending('passes')(stage, command)
        if command.name == 'gpu':
            found.argv = [sys.executable, '-c', code]
        return found

    assert visit('first', replace)[0] == 0


def test_without_a_card(visit, monkeypatch, capfdbinary):
    monkeypatch.setattr(quarter.host_cupy, 'has_gpu', lambda: False)
    for stages in visits.VISITS.values():
        for name in stages:
            monkeypatch.setitem(stages, name, Stage('a title', 1, lambda context: [
                Command('it', [sys.executable, '-c', ''])]))
    args = quarter.parse_args(['first'])
    assert not args.rehearse
    assert quarter.main(['first']) == 1
    text = (args.out / 'page.md').read_text()
    assert '| start | passed |' in text and 'stress' not in text
    assert b'There is no card' in capfdbinary.readouterr().out


def test_announcement(capsys):
    for name, stages in visits.VISITS.items():
        assert quarter.main([name, '--announce']) == 0
        said = capsys.readouterr().out
        assert all(stage in said for stage in stages)
