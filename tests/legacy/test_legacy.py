"""Legacy mode as such: its parts, its report, and that it leaves no trace."""
import sys
import types

import numpy
import pytest

from chainer_fast import legacy, link, links
from chainer_fast._help.past import removed
from chainer_fast._help.past.removed.entry import Removed
from chainer_fast.legacy import _report
from chainer_fast.legacy._patches import Patches
from tests.compat import processes

ALL = ('libraries', 'numpy', 'python', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6')


@pytest.fixture(autouse=True)
def disabled():
    yield
    legacy.disable()


@pytest.mark.parametrize('named, enabled', [
    ((), ALL),
    (('cpu',), ('cpu', *ALL)),
    (('cpu', 'chainerx'), ('chainerx', 'cpu', *ALL)),
    (('v4',), ('v4', 'v5', 'v6')),
    (('v5', 'numpy'), ('numpy', 'v5', 'v6')),
    (('numpy',), ('numpy',)),
    (('v4.0',), ('v4', 'v5', 'v6')),
    (('v1.13', 'v5'), ('v1', 'v2', 'v3', 'v4', 'v5', 'v6')),
    (('v6', 'python3'), ('python', 'v6')),
])
def test_parts(named, enabled):
    legacy.enable(*named)
    assert legacy.enabled() == enabled
    legacy.disable()
    assert legacy.enabled() == ()


def test_unknown_part():
    with pytest.raises(ValueError, match="no part 'v8': its parts are v1, v2"):
        legacy.enable('numpy', 'v8')
    assert legacy.enabled() == ()


@pytest.mark.parametrize('part', ['v7.8', 'v1.', 'v1.x', 'v1.13.0', 'v.1'])
def test_unknown_release(part):
    with pytest.raises(ValueError, match='no part %r' % part):
        legacy.enable(part)


def test_a_release_names_its_version():
    """Both have the meanings of version 1; one of them has those of a release, too."""
    legacy.enable('v1.13')
    with pytest.raises(RuntimeError, match='enabled already'):
        legacy.enable('v1')
    legacy.enable('v1', 'v1.13')


def test_both_pythons():
    with pytest.raises(ValueError, match='python and python3 exclude each other'):
        legacy.enable('python3', 'python')
    assert legacy.enabled() == ()


def test_the_order_of_keywords_is_that_of_python_3():
    # In Python 2 it was that of a hash table; a program of Python 3 cannot name python.
    values = dict(w=1, l2=2, conv=3, a=4)
    legacy.enable('v1', 'python3')
    model = link.Chain(**{name: links.Linear(n, 1) for name, n in values.items()})
    assert [child.name for child in model.children()] == list(values)


def test_twice():
    legacy.enable('numpy')
    legacy.enable('numpy')
    with pytest.raises(RuntimeError, match='enabled already, with the parts numpy'):
        legacy.enable('python')


def test_patches_are_undone_in_reverse():
    module = types.ModuleType('module')
    module.old = 1
    patches = Patches({'v1'}, frozenset())
    order = []
    patches.set(module, 'old', 2)
    patches.set(module, 'old', 3)
    patches.set(module, 'new', 4)
    patches.call_at_end(lambda: order.append((module.old, hasattr(module, 'new'))))
    patches.undo()
    assert vars(module)['old'] == 1
    assert not hasattr(module, 'new')
    assert order == [(3, True)]


def test_entries_name_parts_of_legacy_mode():
    assert {entry.part for entry in removed.entries().values()} <= {'', *legacy.PARTS}


def test_report(monkeypatch):
    entry = Removed('numpy.float', 'NumPy 1.23', 'write float', 'numpy')
    monkeypatch.setattr(removed, 'entries', lambda: {entry.what: entry})
    _report.clear()
    assert legacy.report() == 'legacy mode: nothing had to be adapted'
    for _ in range(1200):
        _report.adapted('numpy.float')
    head, what, place = legacy.report().splitlines()
    assert head == 'legacy mode adapted 1 idiom at 1 place:'
    assert what == '  numpy.float (last in NumPy 1.23): write float'
    # This package's own files are not the place; the test is.
    assert 'test_legacy.py:' in place and place.endswith('  1,200 times')
    _report.clear()


@pytest.mark.parametrize('value, enabled', [
    ('1', ALL), ('v6,cpu', ('cpu', 'v6')), ('0', ()), ('', ())])
def test_environment(value, enabled):
    text = processes.run(
        '-c', 'import chainer_fast.legacy as l; print(l.enabled())',
        env={'CHAINER_FAST_LEGACY': value})
    assert text == '%r\n' % (enabled,)


def test_environment_names_itself():
    process = processes.start('-c', 'import chainer_fast',
                              env={'CHAINER_FAST_LEGACY': 'v9'})
    assert 'CHAINER_FAST_LEGACY' in process.stderr


def test_nothing_is_loaded_otherwise():
    processes.run('-c', 'import sys, chainer_fast\n'
                  "assert not {'chainer_fast.legacy', "
                  "'chainer_fast._help.past.removed'} & set(sys.modules)")


def test_command_line_wins_over_environment(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('from chainer_fast import legacy; print(legacy.enabled())')
    process = processes.start('-m', 'chainer_fast', '--legacy=v6', script,
                              env={'CHAINER_FAST_LEGACY': 'numpy'})
    assert process.stdout == "('v6',)\n", process.stderr


def test_children_are_in_legacy_mode_too(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text(
        'import subprocess, sys\n'
        'subprocess.run([sys.executable, "-c", "import chainer; '
        'from chainer_fast import legacy; print(legacy.enabled())"], check=True)\n')
    process = processes.start('-m', 'chainer_fast', '--legacy=v6', script)
    assert process.stdout == "('v6',)\n"
    # The child has nothing to say of its own.
    assert process.stderr.count('legacy mode') == 1
    assert 'legacy mode: nothing had to be adapted' in process.stderr


def run_program(path):
    process = processes.start('-m', 'chainer_fast', '--legacy', path)
    assert process.returncode == 0, process.stderr
    return process


def test_report_is_about_the_program(tmp_path):
    package = tmp_path / 'site-packages' / 'oldpackage'
    package.mkdir(parents=True)
    code = 'import numpy\nx = numpy.float(3)\n'
    (package / '__init__.py').write_text(code)
    program = tmp_path / 'program.py'
    program.write_text('import sys\nsys.path.insert(0, %r)\nimport oldpackage\n'
                       % str(package.parent))
    process = run_program(program)
    assert 'nothing had to be adapted in the program itself' in process.stderr
    assert process.stderr.rstrip().endswith(': oldpackage once')
    program.write_text(program.read_text() + code)
    process = run_program(program)
    assert 'legacy mode adapted 1 idiom at 1 place:' in process.stderr
    assert 'program.py:5  once' in process.stderr
    assert '__init__.py' not in process.stderr


def test_types_that_numpy_2_has_again_are_reported_where_they_are_adapted(tmp_path):
    program = tmp_path / 'program.py'
    program.write_text('import numpy\nnumpy.bool\nnumpy.long\n')
    process = run_program(program)
    is_adapted = numpy.lib.NumpyVersion(numpy.__version__) < '2.0.0'
    for name in 'bool', 'long':
        assert ('numpy.%s (last in' % name in process.stderr) == is_adapted


def test_children_report_what_they_adapt(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('import numpy, chainer_fast.functions as F\n'
                      'F.relu(numpy.ones((1, 2), "f"), use_cudnn=True)\n')
    process = processes.start(script, env={'CHAINER_FAST_LEGACY': 'v1'})
    assert 'legacy mode adapted 1 idiom at 1 place' in process.stderr


@pytest.mark.parametrize('options, problem', [
    (['--legacy=v9'], 'no part'),
    (['-W', 'ignore'], 'python -W ignore -m chainer_fast SCRIPT'),
    (['-Wignore'], 'python -Wignore -m chainer_fast SCRIPT'),
    (['-u'], 'python -u -m chainer_fast SCRIPT'),
    (['--nope'], 'there is no option --nope'),
])
def test_refused_options(options, problem, tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('')
    process = processes.start('-m', 'chainer_fast', *options, script)
    assert process.returncode == 2
    assert problem in process.stderr


@pytest.mark.parametrize('options, has_note', [([], True), (['--legacy'], False)])
def test_way_out_of_python_2(options, has_note, tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('x = (\n')
    process = processes.start('-m', 'chainer_fast', *options, script)
    assert process.returncode == 1 and 'SyntaxError' in process.stderr
    has_notes = sys.version_info >= (3, 11)
    assert ('--legacy runs it unchanged' in process.stderr) == (has_note and has_notes)


@pytest.mark.parametrize('option, is_as_given', [
    ('--legacy=v5', True), ('--legacy=python', True), ('--legacy', False),
    ('--legacy=numpy', False)])
def test_path_of_the_program(option, is_as_given, tmp_path):
    # Until Python 3.8 a program could copy itself to os.path.join(result, __file__).
    script = tmp_path / 'train.py'
    script.write_text('print(__file__)\n', encoding='utf-8')
    process = processes.start('-m', 'chainer_fast', option, 'train.py', cwd=tmp_path)
    assert process.stdout.strip() == ('train.py' if is_as_given else str(script))
