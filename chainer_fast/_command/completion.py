"""Scripts that complete the arguments of ``chainer-fast`` in a shell, by shtab."""
import typing as tp

from chainer_fast import _installation
from chainer_fast._command import arguments
from chainer_fast._command.check import command

# A script without a command can stand where shtab expects a command.
_PREAMBLES: tp.Any = {      # shtab's own type is that of its default, a text
    'bash': '_shtab_chainer_fast_pos_0_COMPGEN=_shtab_compgen_files'}
_OF_ZSH = {
    "_describe 'chainer-fast commands' _commands\n":
        "_describe 'chainer-fast commands' _commands\n  _files\n",
    'case $line[1] in\n': 'case $line[1] in\n        *.py) _files ;;\n'}


def script(shell):
    """Return the script for a shell, ``'bash'`` or ``'zsh'``.

    Raises
    ------
    ImportError
        If shtab is not installed.
    """
    try:
        import shtab
    except ImportError as error:
        raise ImportError('completion needs shtab, which writes the script: '
                          + _installation.install('completion')) from error
    parser, commands = arguments.tree()
    command.add_arguments(commands.choices['check'])
    for each in commands.choices.values():
        for action in each._actions:
            if not action.option_strings:   # a script, or paths to check
                action.complete = shtab.FILE
    text = shtab.complete(parser, shell, preamble=_PREAMBLES)
    if shell == 'zsh':
        for old, new in _OF_ZSH.items():
            text = text.replace(old, new)
    return text
