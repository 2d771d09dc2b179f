"""Colours are for terminals."""
import io

import pytest

from chainer_fast._help.command import doctor
from chainer_fast._help.command.colours import coloured
from chainer_fast._help.command.doctor.finding import BROKEN, WORKS, Finding


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv('NO_COLOR', raising=False)
    monkeypatch.setenv('TERM', 'xterm')
    monkeypatch.setattr('sys.platform', 'linux')


def test_on_a_terminal_only():
    assert coloured('x', 'red', Terminal()) == '\033[31mx\033[0m'
    assert coloured('x', 'red', io.StringIO()) == 'x'


@pytest.mark.parametrize('name, value, is_plain', [
    ('NO_COLOR', '1', True), ('NO_COLOR', '', False), ('TERM', 'dumb', True)])
def test_who_forbids_them(monkeypatch, name, value, is_plain):
    monkeypatch.setenv(name, value)
    assert (coloured('x', 'green', Terminal()) == 'x') is is_plain


def test_diagnosis(monkeypatch):
    monkeypatch.setattr(doctor, 'CHECKS', {
        'A': lambda: Finding(WORKS, '1'), 'B': lambda: Finding(BROKEN, '2')})
    terminal, file = Terminal(), io.StringIO()
    doctor.main(terminal)
    doctor.main(file)
    lines = terminal.getvalue().splitlines()
    assert lines[0] == 'A               \033[32mworks     \033[0m 1'
    assert '\033[31mbroken' in lines[1]
    assert file.getvalue().splitlines()[0] == 'A               works      1'
