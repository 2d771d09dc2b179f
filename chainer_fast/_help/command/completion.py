"""Scripts that complete the arguments of ``chainer-fast`` in a shell, by shtab."""
from chainer_fast._help import installation
from chainer_fast._help.command import arguments
from chainer_fast._help.command.check import command

# A script may appear where shtab expects a command.
_OF_BASH = '_shtab_chainer_fast_pos_0_COMPGEN=_shtab_compgen_files'
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
                          + installation.install('completion')) from error
    parser, commands = arguments.tree()
    command.add_arguments(commands.choices['check'])
    for each in commands.choices.values():
        for action in each._actions:
            if not action.option_strings:   # a script, or paths to check
                action.complete = shtab.FILE
    text = shtab.complete(parser, shell, preamble=_OF_BASH if shell == 'bash' else '')
    if shell == 'zsh':
        for old, new in _OF_ZSH.items():
            text = text.replace(old, new)
    return text
