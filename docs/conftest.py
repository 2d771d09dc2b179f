"""Runs the Python blocks of these pages: ``pytest docs``.

A block that begins with ``>>>`` is a doctest; any other block is run as it is. The
blocks of a page run in order, in a new empty folder.
"""
import doctest
import os
import re
import tempfile

from sybil import Sybil
from sybil.evaluators.doctest import NUMBER, OutputChecker
from sybil.parsers.markdown import PythonCodeBlockParser


class WithoutCodes(OutputChecker):
    """Leaves out the codes by which reports clear lines of a terminal."""

    def check_output(self, want, got, optionflags):
        got = re.sub('\x1b\\[[0-9]*[A-Z]', '', got)
        return super().check_output(want, got, optionflags)


def parser():
    # With NUMBER, numbers are compared to the digits that the page has.
    found = PythonCodeBlockParser(
        doctest_optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | NUMBER)
    found.doctest_parser.evaluator.runner._checker = WithoutCodes()
    return found


def enter_folder(namespace):
    namespace['_folder'] = tempfile.TemporaryDirectory()
    namespace['_before'] = os.getcwd()
    os.chdir(namespace['_folder'].name)


def leave_folder(namespace):
    os.chdir(namespace['_before'])
    namespace['_folder'].cleanup()


pytest_collect_file = Sybil(
    parsers=[parser()],
    # Programs on other pages need the name ``chainer``, several processes or a file.
    filenames={'index.md', 'start.md', 'pytorch.md', 'drop-in.md', 'chainerx.md',
               'benchmark.md'},
    patterns=['guides/*.md'],
    setup=enter_folder, teardown=leave_folder).pytest()
