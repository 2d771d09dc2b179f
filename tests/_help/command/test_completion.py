"""What the shells offer after a tab."""
import shutil
import subprocess
import sys

import pytest

from chainer_fast import __main__
from chainer_fast._help import installation
from chainer_fast._help.command import completion


@pytest.fixture
def shtab():
    return pytest.importorskip('shtab')


def test_without_shtab(monkeypatch):
    monkeypatch.setitem(sys.modules, 'shtab', None)
    with pytest.raises(ImportError) as error:
        completion.script('bash')
    assert installation.install('completion') in str(error.value)


# Bash fills these variables in when the user types a tab.
OFFERED = '''
source /dev/stdin
COMP_WORDS=(chainer-fast "$@"); COMP_CWORD=$#
compopt() { :; }
_shtab_chainer_fast
printf '%s\\n' "${COMPREPLY[@]}"
'''


@pytest.mark.skipif(shutil.which('bash') is None, reason='there is no bash')
@pytest.mark.parametrize('words, offered, not_offered', [
    ([''], {'run', 'check', 'doctor', 'train.py'}, {'--doctor'}),
    (['--'], {'--profile', '--doctor', '--version'}, {'--parts', 'run'}),
    (['check', '--'], {'--fix', '--sarif', '--select'}, {'--profile'}),
    (['check', 't'], {'train.py'}, {'check'}),
    (['legacy', '--'], {'--parts', '--profile'}, {'--doctor', '--legacy'}),
    (['--print-completion', ''], {'bash', 'zsh'}, {'--fix'})])
def test_bash(shtab, tmp_path, words, offered, not_offered):
    (tmp_path / 'train.py').touch()
    found = set(subprocess.run(
        ['bash', '-c', OFFERED, 'bash', *words], input=completion.script('bash'),
        capture_output=True, text=True, check=True, cwd=tmp_path).stdout.split())
    assert offered <= found
    assert not not_offered & found


def test_zsh(shtab):
    script = completion.script('zsh')
    for change in completion._OF_ZSH.values():
        assert change in script
    if shutil.which('zsh') is not None:
        subprocess.run(['zsh', '-n'], input=script, text=True, check=True)


def test_command(shtab, monkeypatch, capsys):
    monkeypatch.setattr(sys, 'argv', ['chainer-fast', '--print-completion', 'zsh'])
    __main__.main()
    assert capsys.readouterr().out == completion.script('zsh') + '\n'
