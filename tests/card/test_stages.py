"""The table of stages: its limits and names, and its commands with stand-in tools."""
import importlib
import os
import pathlib
import re
import sys

import pytest

from tests.card import gaps, page, process, stages
from tests.card.commands import Context

# In the place of a tool: it drops its own arguments, and runs the program.
TOOL = '#!/bin/sh\necho "with $*"\nwhile [ "$1" != %s ]; do shift; done\nexec "$@"\n'
TRACE = '''Processing the recording
Start (ns),Duration (ns),Name
2000000,1000000,"a, b"
1000000,500000,c
2500000,1500000,d
'''


def tool(folder, monkeypatch, name, text):
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    monkeypatch.setenv('PATH', '%s:%s' % (folder, os.environ['PATH']))


@pytest.fixture
def context(tmp_path):
    return Context(tmp_path / 'out', process.ROOT, tiny=True)


def commands(stage, context):
    return {each.name: each for each in stages.STAGES[stage].commands(context)}


def test_table(context):
    assert len(stages.STAGES) == 8
    for name, stage in stages.STAGES.items():
        assert stage.minutes <= 8
        found = list(stage.commands(context))
        assert found and len({each.name for each in found}) == len(found)
        for command in found:
            # Each is the name of a file, and leaves time to others.
            assert pathlib.Path(command.name).name == command.name
            assert ' ' not in command.name
            assert command.minutes <= stage.minutes or command.missing, name


@pytest.mark.parametrize('stage', ['sizes', 'stress', 'first'])
@pytest.mark.gpu
def test_cases_have_commands(context, stage):
    """Each case of a program is chosen by one command of its stage."""
    beginnings = {}
    for command in stages.STAGES[stage].commands(context):
        if 'tests.card.program' in command.argv:
            module, beginning = command.argv[3:5]
            beginnings.setdefault(module, []).append(beginning)
    for module, found in beginnings.items():
        program = importlib.import_module('tests.card.programs.' + module)
        for tiny in True, False:
            for case in program.cases(tiny):
                assert sum(case.startswith(each) for each in found) == 1, case


def test_sanitizer(context, tmp_path, monkeypatch):
    tool(tmp_path, monkeypatch, 'compute-sanitizer', TOOL % sys.executable)
    command = commands('sanitizer', context)['memcheck_roi']
    assert not command.missing
    folder = context.folder('sanitizer')
    folder.mkdir(parents=True)
    found = process.Process(command, folder / 'it.log', 60, context.tree).wait()
    assert found['state'] == 'passed'
    log = (folder / 'it.log').read_text()
    assert 'with --tool memcheck' in log
    passed = re.search(r'\d+ passed', log).group()
    assert int(passed.split()[0]) > 100
    assert page.tests(folder / 'memcheck_roi.outcomes.jsonl').startswith(passed + '.')


def test_gaps(tmp_path, monkeypatch, capsys):
    tool(tmp_path, monkeypatch, 'nsys', '#!/bin/sh\ncat <<E\n%sE\n' % TRACE)
    monkeypatch.setattr(sys, 'argv', ['gaps', 'tf32', str(tmp_path / 'it')])
    gaps.main()
    assert '"case": "ResNet-50, batch 32, tf32"' in capsys.readouterr().out
    assert gaps.summarize(TRACE, 1) == {
        'busy ms': 2.5, 'waiting ms': .5, 'waiting share': .167,
        'longest gap ms': .5, 'launches': 3}


def test_benchmarks(context):
    command = commands('rows', context)['small_float32']
    folder = context.folder('rows')
    folder.mkdir(parents=True)
    found = process.Process(command, folder / 'it.log', 120, context.tree).wait()
    assert found['state'] == 'passed', (folder / 'it.log').read_text()
    context.tiny = False
    assert {'resnet50_tf32', 'gaps_tf32'} < set(commands('resnet', context))
    argv = commands('rows', context)['perceptron_tf32'].argv
    assert argv[3:6] == ['perceptron', '--modes', 'tf32']


def test_upstream(context, tmp_path):
    checkout = tmp_path / 'chainer'
    for name in 'functions_tests/a_tests', 'utils_tests', 'functions_tests/__pycache__':
        folder = checkout / 'tests/chainer_tests' / name
        folder.mkdir(parents=True)
    for path in 'test_one.py', 'functions_tests/a_tests/test_two.py':
        (checkout / 'tests/chainer_tests' / path).write_text(
            'import chainer, pytest\n'
            '@pytest.mark.gpu\ndef test_gpu(): assert chainer.cuda.available\n'
            '@pytest.mark.cudnn\ndef test_cudnn(): pass\n'
            '@pytest.mark.gpu\n@pytest.mark.chainerx\n'
            'def test_both(): import chainerx; chainerx.ones(2, device="cuda")\n')
    (checkout / 'setup.cfg').write_text(
        '[tool:pytest]\nmarkers =\n    gpu: x\n    cudnn: x\n    ideep: x\n'
        '    chainerx: x\n    slow: x\n    multi_gpu: x\n    theano: x\n')
    context.chainer = checkout
    found = commands('upstream', context)
    assert list(found) == ['cudnn', 'files', 'functions_a_tests', 'utils_tests',
                           'chainerx', 'on-chainerx']
    folder = context.folder('upstream')
    folder.mkdir(parents=True)
    for name, tests in ('cudnn', ['test_two.py', 'test_one.py']), (
            'functions_a_tests', ['test_two.py']), ('on-chainerx', ['test_both']):
        ended = process.Process(
            found[name], folder / 'it.log', 60, context.tree).wait()
        assert ended['state'] == 'passed', (folder / 'it.log').read_text()
        outcomes = (folder / (name + '.outcomes.jsonl')).read_text()
        assert all(each in outcomes for each in tests)


def test_upstream_without_tests(context, tmp_path):
    context.chainer = tmp_path
    command, = commands('upstream', context).values()
    assert 'has no tests/chainer_tests' in command.missing
