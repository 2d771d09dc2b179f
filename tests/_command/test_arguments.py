"""The arguments of the command, and what is said of wrong ones."""
import pytest

from chainer_fast._command import arguments
from tests.compat import processes

USAGE = 'usage: chainer-fast [--profile[=TRACE]] [--legacy[=PARTS]] SCRIPT'


SCRIPT = __file__


@pytest.mark.parametrize('given, problem', [
    ([], 'name a script, or a module with -m'), (['-m'], 'name a module'),
    (['nothing.py', '-m'], "there is no script 'nothing.py'"),
    (['--quick', 'script.py'], 'there is no option --quick'),
    (['--prof', 'script.py'], 'there is no option --prof'),
    (['--profile=script.py', SCRIPT],
     '--profile=script.py: the name of a trace ends in .json'),
    (['--doctor=yes', 'script.py'],
     "argument --doctor: ignored explicit argument 'yes'")])
def test_usage(tmp_path, given, problem):
    process = processes.start('-m', 'chainer_fast', *given, cwd=tmp_path)
    assert process.returncode == 2
    assert process.stdout == ''
    assert process.stderr.startswith(USAGE)
    assert process.stderr.endswith('chainer-fast: error: %s\n' % problem)


@pytest.mark.parametrize('given, profile, legacy, program', [
    (['-mx', '--profile', '-h', '--'], None, None, ['x', '--profile', '-h', '--']),
    (['--legacy', '-m', 'x', '-m', 'y'], None, '1', ['x', '-m', 'y']),
    (['--profile=a.json', '-m', 'x'], 'a.json', None, ['x']),
    (['--legacy=v1,python', '--profile', '-m', '--legacy'], '', 'v1,python',
     ['--legacy'])])
def test_what_follows_the_name_is_of_the_program(given, profile, legacy, program):
    found = arguments.parse(given)
    assert (found.profile, found.legacy, found.program) == (profile, legacy, program)
    assert found.is_module and not found.doctor


@pytest.mark.parametrize('option', ['-h', '--help'])
def test_help(option):
    assert processes.run('-m', 'chainer_fast', option).startswith(USAGE)
