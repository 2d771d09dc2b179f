"""The two visits: what they leave when every step fails, hangs or dies."""
import dataclasses
import importlib
import json
import os
import pathlib
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
        # Tests end with their time, and those of a tool that is not there are absent.
        expected = {STATES[way]} | ({'stopped'} if way == 'hangs' else set())
        assert states and set(states.values()) <= expected, (stage, states)
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
        if each == stage:
            assert status == int(set(states.values()) != {'stopped'})
            assert 'passed' not in states.values()
        else:
            assert set(states.values()) == {'passed'}, each


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


@pytest.mark.gpu
@pytest.mark.parametrize('tiny', [True, False])
def test_commands(tmp_path, tiny):
    """Each has a name for its log, and the cases that it runs are there."""
    for stages in visits.VISITS.values():
        for name, stage in stages.items():
            context = visits.Context(tmp_path, tmp_path, tiny=tiny)
            found = [command for each in stage.commands(context)
                     for command in together(each)]
            names = [command.name for command in found]
            assert all(names) and len(set(names)) == len(names), name
            for command in found:
                assert command.minutes <= stage.minutes or command.missing, command.name
                if 'tests.card.program' in command.argv:
                    module, beginning = command.argv[3:5]
                    cases = importlib.import_module(
                        'tests.card.programs.' + module).cases(tiny)
                    assert any(case.startswith(beginning) for case in cases), beginning
    assert all(pathlib.Path(folder).is_dir() for folder in visits.FOLDERS)


def test_limits():
    """The stages of a visit leave time for its end; so do commands in their stages."""
    for name, stages in visits.VISITS.items():
        total = sum(stage.minutes for stage in stages.values())
        assert 60 * total <= 60 * quarter.MINUTES[name] - quarter.LAST, name
    assert sum(quarter.MINUTES.values()) <= 15


def test_odd_addresses_are_split_after_a_failure(tmp_path):
    context = visits.Context(tmp_path, tmp_path)
    log = tmp_path / 'start/misaligned.log'
    log.parent.mkdir()

    def names(lines):
        log.write_text(''.join(json.dumps(line) + '\n' for line in lines))
        return [command.name for command in visits.start(context)
                if command.name.startswith('misaligned_')]

    from tests.card.programs import misaligned
    fine = [{'case': case, 'state': 'passed'} for case in misaligned.cases(True)]
    assert names(fine) == []
    assert names([*fine, {'case': 'half', 'state': 'failed'}]) == ['misaligned_half']
    # The process died: nothing is known of the cases that come after.
    cut = next(i for i, line in enumerate(fine) if line['case'].startswith('offset 4'))
    later = [{**line, 'state': 'not run'} for line in fine]
    assert names([*later, *fine[:cut], {**fine[cut], 'state': 'began'}]) == [
        'misaligned_offset_%d' % n for n in range(0, 16, 2)]


def results(folder):
    """Write what a first visit with some failures leaves."""
    lines = {
        'start/kernels.log': [{'case': 'sums', 'state': 'failed'}],
        'start/misaligned.log': [{'case': 'half', 'state': 'passed'}],
        'stress/graphs.log': [{'case': 'graphs', 'state': 'began'}],
        'small/small_batch_tf32.log': [
            {'case': 'small batch/tf32/x', 'state': 'failed'}],
        'tests/gpu.outcomes.jsonl': [
            ['a', 'failed', 'why', 1], ['b', 'failed', 'why', 1],
            ['c', 'passed', '', 2], ['d', 'error', 'other', 3],
            ['e', 'running', '', 4], ['f', 'absent', 'h5py', 5]]}
    for path, each in lines.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(''.join(json.dumps(line) + '\n' for line in each))


def test_what_failed_is_run_again(tmp_path, monkeypatch):
    results(tmp_path / 'results')
    first = tmp_path / archive.NAME
    first.write_bytes(archive.pack(tmp_path / 'results'))
    context = visits.Context(tmp_path / 'out', tmp_path, first=first)
    assert visits.chosen_failures(context) == [
        ('case', ('first', 'sums')), ('case', ('stress', 'graphs')),
        ('case', ('sizes', 'small batch/tf32/x')),
        ('test', 'a'), ('test', 'd'), ('test', 'b')]
    monkeypatch.setattr(visits, 'ALONE', 4)
    found = list(visits.again(context))
    assert [command.name for command in found] == [
        '%s_%d' % (label, n) for n in range(1, 5) for label in ('alone', 'memcheck')]
    assert found[0].argv[-2:] == ['first', 'sums']
    assert found[1].argv[0] == 'compute-sanitizer'
    assert found[6].argv[-1] == 'a' and 'tests.card.no_pool' not in found[6].argv
    assert 'tests.card.no_pool' in found[7].argv
    # Without failures, tests run under the tools.
    context.first = None
    assert {'memcheck_roi', 'racecheck_roi'} < {
        command.name for command in visits.again(context)}


def test_wheels_that_are_there_already(tmp_path, monkeypatch):
    for name in 'chainer_fast', 'scipy':
        (tmp_path / (name + '-1-py3-none-any.whl')).write_bytes(b'')
    context = visits.Context(
        tmp_path, tmp_path, wheels=tmp_path, site=tmp_path / 'site')

    def installed():
        return [path.rpartition('/')[2].partition('-')[0]
                for path in next(visits.begin(context)).argv if path.endswith('.whl')]

    monkeypatch.setattr(visits, 'absent', lambda name: 'pip install ' + name)
    assert installed() == ['chainer_fast', 'scipy']
    monkeypatch.setattr(visits, 'absent', lambda name: '')
    assert installed() == ['chainer_fast']
    context.wheels = tmp_path / 'nowhere'
    assert 'make card-wheels' in next(visits.begin(context)).missing


def test_archive_that_is_too_large(tmp_path):
    for name, size in {'small': 10, 'a/large': 3000, 'larger': 5000}.items():
        path = tmp_path / 'results' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(size))
    found = archive.pack(tmp_path / 'results', 4500)
    assert len(found) <= 4500
    (tmp_path / 'it').write_bytes(found)
    with tarfile.open(tmp_path / 'it') as packed:
        assert packed.getnames() == ['small', 'a/large', 'left_out.txt']
        assert packed.extractfile('left_out.txt').read() == b'larger: 5000 bytes\n'


def test_page_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / 'results').mkdir()
    monkeypatch.setattr(archive.page, 'make', lambda *args, **kwargs: 1 / 0)
    path = archive.leave(tmp_path / 'results', tmp_path / 'out')
    assert 'ZeroDivisionError' in path.read_text()
    assert (tmp_path / 'out' / archive.NAME).exists()


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
