"""The arguments of the command, and what is said of wrong ones."""
import sys

import pytest

from chainer_fast import __main__
from chainer_fast._help import installation
from chainer_fast._help.command import arguments
from tests.compat import processes

USAGE = 'usage: chainer-fast [--profile[=TRACE]] [--legacy[=PARTS]] SCRIPT'


SCRIPT = __file__


@pytest.mark.parametrize('given, problem', [
    ([], 'name a script, or a module with -m'), (['-m'], 'name a module'),
    (['nothing.py', '-m'], "there is no script 'nothing.py'"),
    (['--quick', 'script.py'], 'there is no option --quick'),
    (['--prof', 'script.py'], 'there is no option --prof; did you mean --profile?'),
    (['--legcy=v1', 'x.py'], 'there is no option --legcy=v1; did you mean --legacy?'),
    (['--legacy', 'v1', 'x.py'],
     "there is no script 'v1'; did you mean --legacy=v1?"),
    (['chekc', '.'], "there is no script 'chekc'; did you mean check?"),
    (['--doctor', 'x'], '--doctor accepts no arguments'),
    (['-W', 'ignore'], "-W ignore is an option of Python: put it before -m, as in "
     'python -W ignore -m chainer_fast SCRIPT'),
    (['--profile=script.py', SCRIPT],
     '--profile=script.py: the name of a trace must end in .json'),
    (['--doctor=yes', 'script.py'],
     "argument --doctor: ignored explicit argument 'yes'")])
def test_a_mistake_gets_a_line(tmp_path, given, problem):
    process = processes.start('-m', 'chainer_fast', *given, cwd=tmp_path)
    assert process.returncode == 2
    assert process.stdout == ''
    usage, line = process.stderr.rsplit('chainer-fast: ', 1)
    assert line == 'error: %s (see chainer-fast --help)\n' % problem
    assert usage.startswith(USAGE) if not given else usage == ''


def test_a_part_that_legacy_mode_lacks():
    process = processes.start('-m', 'chainer_fast', '--legacy=v9', '-m', 'json.tool')
    assert process.returncode == 2
    line, = process.stderr.splitlines()
    assert line.startswith(
        "chainer-fast: error: --legacy=v9: legacy mode has no part 'v9': ")


@pytest.mark.parametrize('command, given, problem', [
    ('run', ['--quick', 'x.py'], 'there is no option --quick'),
    ('profile', ['--legac', 'x.py'],
     'there is no option --legac; did you mean --legacy?'),
    ('legacy', ['--part', 'v1', 'x.py'],
     'there is no option --part; did you mean --parts?'),
    ('legacy', ['-m'], 'name a module'),
    ('run', ['check'], "there is no script 'check'"),
    ('doctor', ['now'], 'it accepts no arguments'),
    ('check', ['--jsno', '.'], 'there is no option --jsno; did you mean --json?'),
    ('check', ['.', '--json', 'a'], 'unexpected argument a')])
def test_a_mistake_in_a_command(command, given, problem, monkeypatch, capsys):
    monkeypatch.setattr(sys, 'argv', ['chainer-fast', command, *given])
    with pytest.raises(SystemExit) as end:
        __main__.main()
    assert end.value.code == 2
    name = 'chainer-fast ' + command
    assert capsys.readouterr() == (
        '', '%s: error: %s (see %s --help)\n' % (name, problem, name))


@pytest.mark.parametrize('short, long', [
    (['-m', 'x', '-h'], ['run', '-m', 'x', '-h']),
    (['--profile', '--legacy=v1', '-mx'], ['run', '--profile', '--legacy=v1', '-mx']),
    (['--profile', '-m', 'x'], ['profile', '-m', 'x']),
    (['--profile=t.json', '-mx'], ['profile', '--trace', 't.json', '-mx']),
    (['--profile', 't.json', '-mx'], ['run', '--profile=t.json', '-mx']),
    (['--profile', '--legacy', '-m', 'x'], ['profile', '--legacy', '-m', 'x']),
    (['--legacy', '-m', 'run'], ['legacy', '-m', 'run']),
    (['--legacy=v1,numpy', '-m', 'x', '--parts'],
     ['legacy', '--parts', 'v1,numpy', '-m', 'x', '--parts']),
    (['--legacy=v2', '--profile', '-m', 'x'],
     ['legacy', '--parts=v2', '--profile', '-m', 'x']),
    (['--doctor'], ['doctor'])])
def test_commands_are_short_forms_written_out(short, long):
    first, second = vars(arguments.parse(short)), vars(arguments.parse(long))
    for name in ['doctor'] if first['doctor'] else [
            'profile', 'legacy', 'doctor', 'version', 'print_completion', 'program',
            'is_module', 'static', 'updates']:
        assert first[name] == second[name], name


@pytest.mark.parametrize('given, meant', [
    ('nofile.py', ''), ('profile.py', ''), ('trian.py', '; did you mean train.py?'),
    ('nothing/trian.py', ''), ('trian.txt', '')])
@pytest.mark.parametrize('command', [[], ['run'], ['profile']])
def test_scripts_are_no_misspelt_commands(
        given, meant, command, tmp_path, monkeypatch, capsys):
    (tmp_path / 'train.py').write_text('')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'argv', ['chainer-fast', *command, given])
    with pytest.raises(SystemExit):
        __main__.main()
    assert 'there is no script %r%s (' % (given, meant) in capsys.readouterr().err


def test_script_of_the_name_of_a_command(tmp_path):
    (tmp_path / 'run').write_text('print("the script")')
    assert processes.run('-m', 'chainer_fast', './run', cwd=tmp_path) == 'the script\n'
    assert processes.run('-m', 'chainer_fast', 'run', 'run', cwd=tmp_path) == (
        'the script\n')


def test_version():
    assert processes.run('-m', 'chainer_fast', '--version') == (
        'chainer_fast %s (Chainer 7.8.1)\n' % installation.version())


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
    text = processes.run('-m', 'chainer_fast', option)
    assert text.startswith(USAGE)
    for command in 'run', 'profile', 'legacy', 'check', 'doctor':
        assert '\n    %s ' % command in text
