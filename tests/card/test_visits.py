"""The tables of the two visits: their limits, names and commands."""
import importlib
import json
import pathlib

import pytest

from tests.card import archive, quarter, visits
from tests.card.commands import together


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


def test_every_program_is_looked_at(tmp_path):
    context = visits.Context(tmp_path, tmp_path)
    for name, stage in visits.FIRST.items():
        for each in stage.commands(context):
            for command in together(each):
                if 'tests.card.program' in command.argv:
                    log = pathlib.PurePath(name, command.name + '.log')
                    assert {module for pattern, module in visits.PROGRAMS.items()
                            if log.match(pattern)} == {command.argv[3]}


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
    assert len(names([])) == len(visits.MISALIGNED)
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
