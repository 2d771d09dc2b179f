"""A parser of arguments that reports a mistake in one line."""
import argparse

from chainer_fast._help import mistakes


def did_you_mean(word, possible):
    """Return the end of a message: a suggestion, if a known word is close."""
    meant = mistakes.meant(word, possible)
    return '' if meant is None else '; did you mean %s?' % meant


class Parser(argparse.ArgumentParser):
    """Reports the mistake and a suggestion; only ``--help`` prints the help."""

    def __init__(self, **options) -> None:
        options.setdefault('formatter_class', argparse.RawDescriptionHelpFormatter)
        super().__init__(**options)

    def error(self, message):
        self.exit(2, '%s: error: %s (see %s --help)\n' % (
            self.prog, message, self.prog))

    def refuse(self, argument):
        """End the process because of an argument that this parser does not know."""
        if not argument.startswith('-'):
            self.error('unexpected argument %s' % argument)
        self.error('there is no option %s%s' % (argument, did_you_mean(
            argument.partition('=')[0], self._option_string_actions)))

    def parse_args(self, args=None, namespace=None):
        given, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.refuse(unknown[0])
        return given
