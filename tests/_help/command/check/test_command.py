"""The command itself: files of any kind, forms of output, exit status."""
import json
import os
import stat
import subprocess
import sys

import pytest

from chainer_fast._help import installation
from chainer_fast._help.command import check
from chainer_fast._help.command.check import fix, sources
from tests.compat import processes

OLD = 'import numpy\nx = numpy.float(3)\n'
NEW = 'import numpy\nx = float(3)\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return check.main(list(arguments))


def test_exit_status(folder, capsys):
    (folder / 'clean.py').write_text(NEW)
    (folder / 'old.py').write_text(OLD)
    (folder / 'broken.py').write_text('def f(:\n')
    assert run('clean.py') == 0
    assert capsys.readouterr().out == 'nothing is gone in 1 file\n'
    assert run('old.py') == 1
    assert capsys.readouterr().out == (
        'old.py:2:5: numpy.float is gone (last in NumPy 1.23): write float\n'
        '1 finding in 1 of 1 file\n')
    assert run('broken.py', 'old.py') == 2
    captured = capsys.readouterr()
    assert captured.err.startswith('chainer-fast check: broken.py:1: ')
    assert 'numpy.float' in captured.out
    assert run('missing.py') == 2
    assert 'missing.py: cannot be read' in capsys.readouterr().err
    with pytest.raises(SystemExit) as exit_:
        run()
    assert exit_.value.code == 2


def test_from_the_command_line(folder):
    (folder / 'old.py').write_text(OLD)
    done = processes.start('-m', 'chainer_fast', 'check', 'old.py', cwd=folder)
    assert done.returncode == 1
    assert 'numpy.float' in done.stdout
    text = processes.run('-m', 'chainer_fast', 'check', '--help')
    assert 'exit status' in text


def test_folders(folder, capsys):
    for name in ('a/one.py', 'a/b/two.py', 'a/.hidden/no.py', 'a/build/no.py',
                 'a/no.txt'):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(OLD)
    run('a', 'a/one.py')
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(':')[0] for line in lines[:-1]] == ['a/one.py', 'a/b/two.py']


@pytest.mark.parametrize('options, entries', [
    (['--select', 'numpy.*'], ['numpy.float']),
    (['--ignore', 'numpy.float'], ['builtins.xrange']),
    (['--select', 'builtins.xrange', '--select', 'numpy.float'],
     ['builtins.xrange', 'numpy.float']),
])
def test_select_and_ignore(options, entries, folder, capsys):
    (folder / 'old.py').write_text('import numpy\nxrange(3), numpy.float\n')
    run('--json', *options, 'old.py')
    found = json.loads(capsys.readouterr().out)['findings']
    assert [finding['what'] for finding in found] == entries


def test_json(folder, capsys):
    (folder / 'old.py').write_text(OLD)
    run('--json', 'old.py')
    assert json.loads(capsys.readouterr().out) == {
        'files': 1, 'diffs': {}, 'findings': [{
            'path': 'old.py', 'place': '2', 'line': 2, 'column': 5, 'end_line': 2,
            'end_column': 16, 'what': 'numpy.float', 'instead': 'write float',
            'last': 'NumPy 1.23'}], 'unreadable': []}


def test_sarif(folder, capsys):
    """What section 3 of the standard asks of a log, a run, a tool and a result."""
    (folder / 'a b.py').write_text(OLD + 'numpy.float, xrange\n')
    (folder / 'py2.py').write_text('print 3\n')
    run('--sarif', 'a b.py', 'py2.py')
    log = json.loads(capsys.readouterr().out)
    assert log['version'] == '2.1.0'
    assert log['$schema'].endswith('sarif-2.1.0.json')
    only, = log['runs']
    driver = only['tool']['driver']
    assert driver['name'] and driver['version']
    identifiers = [rule['id'] for rule in driver['rules']]
    assert identifiers == sorted(set(identifiers)) == [
        'builtins.xrange', 'numpy.float', 'print statement']
    for rule in driver['rules']:
        assert rule['shortDescription']['text'] and rule['help']['text']
    assert len(only['results']) == 4
    for result in only['results']:
        assert identifiers[result['ruleIndex']] == result['ruleId']
        assert result['level'] == 'error' and result['message']['text']
        place = result['locations'][0]['physicalLocation']
        assert place['artifactLocation']['uri'] in ('a%20b.py', 'py2.py')
        region = place['region']
        assert (region['startLine'], region['startColumn']) >= (1, 1)
        assert (region['endLine'], region['endColumn']) >= (
            region['startLine'], region['startColumn'])


def test_diff_writes_nothing(folder, capsys):
    (folder / 'old.py').write_text(OLD)
    assert run('--diff', 'old.py') == 1
    assert capsys.readouterr().out == (
        '--- old.py\n+++ old.py\n@@ -1,2 +1,2 @@\n import numpy\n'
        '-x = numpy.float(3)\n+x = float(3)\n')
    assert (folder / 'old.py').read_text() == OLD


@pytest.mark.parametrize('content, expected', [
    (OLD.encode(), NEW.encode()),
    (OLD.replace('\n', '\r\n').encode(), NEW.replace('\n', '\r\n').encode()),
    (b'\xef\xbb\xbf' + OLD.encode(), b'\xef\xbb\xbf' + NEW.encode()),
    ('# coding: latin-1\n# é\n'.encode('latin-1') + OLD.encode(),
     '# coding: latin-1\n# é\n'.encode('latin-1') + NEW.encode()),
    (OLD.rstrip('\n').encode(), NEW.rstrip('\n').encode()),
    (b"import numpy\ns = 'a\r\nb'.join(\n    numpy.float)\n", None),
    (OLD.encode() + b"s = '\xc3\xa9', numpy.int  # \xc3\xa9\n",
     NEW.encode() + b"s = '\xc3\xa9', int  # \xc3\xa9\n"),
    (b'\timport x\n', None),
    (OLD.replace('\n', '\r').encode(), NEW.replace('\n', '\r').encode()),
    (OLD.encode() + b'x = 1\rx = 2\n', None),
])
def test_bytes_are_kept(content, expected, folder, capsys):
    path = folder / 'old.py'
    path.write_bytes(content)
    run('--fix', 'old.py')
    assert path.read_bytes() == (content if expected is None else expected)


def test_mode_and_link_are_kept(folder, capsys):
    path = folder / 'old.py'
    path.write_text(OLD)
    path.chmod(0o750)
    (folder / 'link.py').symlink_to('old.py')
    assert run('--fix', 'link.py') == 0
    assert (folder / 'link.py').is_symlink()
    assert path.read_text() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert sorted(os.listdir(folder)) == ['link.py', 'old.py']


def test_read_only_files_are_left_alone(folder, capsys, monkeypatch):
    (folder / 'old.py').write_text(OLD)
    # A test that may do everything cannot make a file that it may not write.
    monkeypatch.setattr(sources.os, 'access', lambda path, mode: mode != os.W_OK)
    assert run('--fix', 'old.py') == 2
    assert 'cannot be written: the file is read-only' in capsys.readouterr().err
    assert (folder / 'old.py').read_text() == OLD


def test_folders_with_other_than_files(folder, capsys):
    if hasattr(os, 'mkfifo'):
        os.mkfifo(folder / 'pipe.py')
    (folder / 'lost.py').symlink_to('nowhere')
    (folder / 'folder.py').mkdir()
    assert run('.') == 0
    assert capsys.readouterr().out == 'nothing is gone in 0 files\n'


@pytest.mark.parametrize('content', [
    b'x = 1\0\n', b'\xff\xfe\x00\x81', b'# coding: none\n'])
def test_binary_files(content, folder, capsys):
    (folder / 'binary.py').write_bytes(content)
    (folder / 'old.py').write_text(OLD)
    assert run('.') == 2
    captured = capsys.readouterr()
    assert 'binary.py' in captured.err and 'numpy.float' in captured.out


def test_failed_write_leaves_the_file(folder, capsys, monkeypatch):
    (folder / 'old.py').write_text(OLD)

    def replace(source, target):
        raise OSError('the disk is full')
    monkeypatch.setattr(sources.os, 'replace', replace)
    assert run('--fix', 'old.py') == 2
    assert 'cannot be written: the disk is full' in capsys.readouterr().err
    assert (folder / 'old.py').read_text() == OLD
    assert os.listdir(folder) == ['old.py']


def test_what_does_not_compile_is_not_written(folder, capsys, monkeypatch):
    from chainer_fast._help.command.check.fix import planner
    (folder / 'old.py').write_text(OLD)
    monkeypatch.setattr(planner, 'rewritten', lambda text, edits: 'x = (')
    assert run('--fix', 'old.py') == 2 or (folder / 'old.py').read_text() == OLD
    assert (folder / 'old.py').read_text() == OLD


def test_what_cannot_be_rewritten(folder, capsys, monkeypatch):
    """The other files are fixed still."""
    import libcst
    (folder / 'a.py').write_text('import numpy\nnumpy.float, 2\n')
    (folder / 'b.py').write_text(OLD)
    parse = libcst.parse_module
    monkeypatch.setattr(libcst, 'parse_module', lambda text: parse(
        text.replace(', 2', ', (')))
    assert run('--fix', '.') == 2
    assert 'a.py:1: it cannot be rewritten: ' in capsys.readouterr().err
    assert (folder / 'b.py').read_text() == NEW


def test_deep_expression(folder, capsys):
    (folder / 'deep.py').write_text('x = ' + '-' * 5000 + '1\n')
    assert run('deep.py') == 2
    assert 'deep.py' in capsys.readouterr().err


def test_notebook(folder, capsys):
    cells = [
        {'cell_type': 'markdown', 'metadata': {}, 'source': ['numpy.float\n']},
        {'cell_type': 'code', 'execution_count': None, 'metadata': {}, 'outputs': [],
         'source': ['%matplotlib inline\n', 'import numpy']},
        {'cell_type': 'code', 'execution_count': None, 'metadata': {}, 'outputs': [],
         'source': ['# é\n', 'numpy.float(3)']},
        {'cell_type': 'code', 'execution_count': None, 'metadata': {}, 'outputs': [],
         'source': ['%%bash\n', 'print numpy.float']}]
    notebook = {'cells': cells, 'metadata': {}, 'nbformat': 4, 'nbformat_minor': 5}
    path = folder / 'a.ipynb'
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + '\n',
                    encoding='utf-8')
    before = path.read_text(encoding='utf-8')
    assert run('a.ipynb') == 1
    assert capsys.readouterr().out.startswith('a.ipynb:cell 2:2:1: numpy.float')
    assert run('--fix', 'a.ipynb') == 0
    assert path.read_text(encoding='utf-8') == before.replace(
        '"numpy.float(3)"', '"float(3)"')


@pytest.mark.parametrize('source, line', [
    (' %matplotlib inline\nnumpy.float(3)', 2),
    ('\n  !ls\nnumpy.float(3)', 3),
    ('if numpy:\n    %time f()\nnumpy.float(3)', 3),
    ('for i in []:\n    i = 3\n    !echo {i}\nnumpy.float(3)', 4),
    ('s = ("%s"\n     % 3)\nnumpy.float(3)', 3),
    ('s = """\n  %d\n!\n"""\nnumpy.float(3)', 5),
])
def test_magics(source, line, folder, capsys):
    cells = [{'cell_type': 'code', 'execution_count': None, 'metadata': {},
              'outputs': [], 'source': text.splitlines(keepends=True)}
             for text in ('import numpy', source)]
    path = folder / 'a.ipynb'
    path.write_text(json.dumps(
        {'cells': cells, 'metadata': {}, 'nbformat': 4, 'nbformat_minor': 5}))
    assert run('a.ipynb') == 1
    assert capsys.readouterr().out.startswith(
        'a.ipynb:cell 2:%d:1: numpy.float' % line)
    assert run('--fix', 'a.ipynb') == 0
    text = ''.join(json.loads(path.read_text())['cells'][1]['source'])
    assert text == source.replace('numpy.float', 'float')


def test_missing_packages(folder, capsys, monkeypatch):
    (folder / 'old.py').write_text(OLD)
    monkeypatch.setattr(fix.importlib.util, 'find_spec', lambda name: None)
    assert run('old.py') == 1
    assert run('--fix', 'old.py') == 2
    assert 'libcst and fissix: ' + installation.install('check') in (
        capsys.readouterr().err)
    monkeypatch.setitem(sys.modules, 'fissix', None)
    (folder / 'py2.py').write_text('x = 1\nprint 3\n')
    assert run('py2.py') == 2
    captured = capsys.readouterr()
    assert captured.err.startswith('chainer-fast check: py2.py:2: ')
    assert 'fissix to parse it: ' + installation.install('check') in captured.err
    assert captured.out == '1 file could not be read\n'
    assert run('py2.py', 'old.py') == 2
    assert capsys.readouterr().out.endswith(
        '1 finding in 1 of 1 file; 1 file could not be read\n')
    assert run('--json', 'py2.py') == 2
    assert 'py2.py:2' in json.loads(capsys.readouterr().out)['unreadable'][0]
    assert run('--sarif', 'py2.py') == 2
    invocation, = json.loads(capsys.readouterr().out)['runs'][0]['invocations']
    assert not invocation['executionSuccessful']
    assert invocation['toolExecutionNotifications'][0]['level'] == 'error'


def test_divisions_that_may_be_of_whole_numbers(folder, capsys):
    (folder / 'old.py').write_text(
        'def f(a, n):\n    half = len(a) / 2\n    return a.shape[0] / n, half\n')
    assert run('old.py') == 0
    capsys.readouterr()
    assert run('--written-for', 'python', '--fix', 'old.py') == 1
    assert 'old.py:3:12: division that may be of whole numbers' in (
        capsys.readouterr().out)
    assert (folder / 'old.py').read_text() == (
        'def f(a, n):\n    half = len(a) // 2\n    return a.shape[0] / n, half\n')
    (folder / 'old.py').write_text(
        'from __future__ import division\ndef f(a, n):\n    return a.shape[0] / n\n')
    assert run('--written-for', 'python', 'old.py') == 0


def test_divisions_of_what_was_python_2(folder, capsys):
    (folder / 'old.py').write_text('def f(a, n):\n    print a / n, 7 / 2\n')
    assert run('--fix', 'old.py') == 1
    assert 'old.py:2:11: division that may be' in capsys.readouterr().out
    assert (folder / 'old.py').read_text() == (
        'def f(a, n):\n    print(a / n, 7 // 2)\n')


def test_checking_needs_no_libcst(folder):
    (folder / 'old.py').write_text(OLD)
    processes.run('-c', 'import sys; from chainer_fast._help.command import check\n'
                  'check.main(["old.py"])\n'
                  'assert not {"libcst", "fissix"} & set(sys.modules)', cwd=folder)


def test_no_more_is_imported_than_a_source_asks_for(tmp_path):
    path = tmp_path / 'script.py'
    path.write_text('import numpy as np\nimport chainer\nnp.float(3)\n')
    code = ('import sys, chainer_fast\nbefore = set(sys.modules)\n'
            'from chainer_fast._help.command import check\ncheck.main([sys.argv[1]])\n'
            'print(sorted({name.partition(".")[0] + "." + name.split(".")[1]'
            ' for name in set(sys.modules) - before'
            ' if name.startswith(("scipy.", "pandas.", "matplotlib."))}))')
    result = subprocess.run([sys.executable, '-c', code, str(path)], text=True,
                            capture_output=True, check=True)
    assert result.stdout.splitlines()[-1] == '[]'
