"""Checks the words of pages, docstrings, messages and comments; `make lint` runs it.

    python tests/prose/check.py [PATH ...]

`words.tsv` lists patterns, what to write instead, and why; `allowed.tsv` lists the
places where a match is right. docs/style.md describes the style. The paths of files and
folders are relative to the folder that the command runs in, the root of the repository.
"""
import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

from pygments import lexers, token

HERE = Path(__file__).parent
PATHS = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'Makefile',
         'docs', 'examples', 'benchmarks', 'compat', 'chainer_fast']
SUFFIXES = {'.py', '.pyx', '.pxd', '.pxi', '.pyi', '.hpp', '.cc', '.md', '.rst'}
# Pages that tools write, programs of other authors, and the page that shows what not to
# write.
LEFT_OUT = re.compile(
    r'docs/(style|legacy-table)\.md|docs/(auto_gallery|figures|reference/generated)/|'
    r'examples/legacy/|/(build|\w+\.egg-info|\.asv)/')
LEXERS = {'.py': lexers.PythonLexer, '.pyi': lexers.PythonLexer,
          '.pyx': lexers.CythonLexer, '.pxd': lexers.CythonLexer,
          '.pxi': lexers.CythonLexer, '.hpp': lexers.CppLexer, '.cc': lexers.CppLexer,
          'Makefile': lexers.BashLexer}
# Code in text: fenced and indented blocks, doctests, literals, targets of links.
CODE = re.compile(
    r'^(?P<fence>```+).*?^(?P=fence)|^(?:    |\t).*?$' r'|`+[^`]+`+'
    r'|(?<=\])\([^()\s]*\)|<[^<>\s]+>', re.M | re.S)
DOCTEST = re.compile(r'^\s*>>> .*(?:\n\s*\S.*)*|`+[^`]+`+', re.M)
# What begins a line of a comment or ends a string, between two words of a sentence.
MARKS = re.compile(
    r'''^\s*(?:[#*]+:?|//+|/\*+)|\*/\s*$|^[rbfuRBFU]*['"]+|['"]+$''', re.M)


class Word(NamedTuple):
    pattern: re.Pattern
    instead: str
    reason: str


class Match(NamedTuple):
    path: str
    line: int
    text: str
    word: Word


def rows(path):
    """Yield the rows of a table of tabs, without comments."""
    for line in path.read_text(encoding='utf-8').splitlines():
        if line and not line.startswith('#'):
            yield line.split('\t')


def read_words(path):
    """Return the words of a table; a space in a pattern is any white space."""
    return [Word(re.compile(pattern.replace(' ', r'\s+'), re.I), instead, reason)
            for pattern, instead, reason in rows(path)]


def blank(text, filler=' '):
    return re.sub(r'\S', filler, text)


def prose(source, suffix):
    """Return a source with code blanked; the positions of characters stay the same."""
    if suffix not in LEXERS:
        return CODE.sub(lambda found: blank(found.group(), '\0'), source)
    parts = []
    lexer = LEXERS[suffix](stripnl=False, ensurenl=False)
    for _, kind, value in lexer.get_tokens_unprocessed(source):
        if kind in token.Comment.Preproc:
            parts.append(blank(value, '\0'))
        elif kind in token.Comment or kind in token.String:
            value = MARKS.sub(lambda found: blank(found.group()), value)
            parts.append(DOCTEST.sub(lambda found: blank(found.group(), '\0'), value))
        else:
            parts.append(blank(value, '\0'))
    return ''.join(parts)


def matches(path, words):
    """Yield what the patterns match in the prose of a file."""
    path = Path(path)
    source = path.read_text(encoding='utf-8')
    text = prose(source, path.suffix or path.name)
    for word in words:
        for found in word.pattern.finditer(text):
            start = source.rfind('\n', 0, found.start()) + 1
            end = source.find('\n', found.end())
            lines = ' '.join(source[start:end if end >= 0 else None].split())
            yield Match(path.as_posix(), source.count('\n', 0, start) + 1, lines, word)


def files(paths):
    """Yield the files below paths that have prose to check."""
    for path in map(Path, paths):
        for file in sorted(path.rglob('*')) if path.is_dir() else [path]:
            known = file.suffix in SUFFIXES or file.name == 'Makefile'
            if known and file.is_file() and not LEFT_OUT.search(file.as_posix()):
                yield file


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('paths', nargs='*', default=PATHS, metavar='PATH',
                        help='files and folders; by default those that users read')
    parser.add_argument('--words', type=Path, default=HERE / 'words.tsv',
                        help='table of patterns (%(default)s)')
    parser.add_argument('--allowed', type=Path, default=HERE / 'allowed.tsv',
                        help='table of exceptions (%(default)s)')
    options = parser.parse_args(arguments)

    words = read_words(options.words)
    allowed = {(path, text): False for path, text, _ in rows(options.allowed)}
    checked, count = set(), 0
    for file in files(options.paths):
        checked.add(file.as_posix())
        for match in sorted(matches(file, words), key=lambda m: m.line):
            exceptions = [key for key in allowed
                          if key[0] == match.path and key[1] in match.text]
            allowed.update(dict.fromkeys(exceptions, True))
            if not exceptions:
                count += 1
                print('%s:%d: %s\n    write %s: %s' % (
                    match.path, match.line, match.text, match.word.instead,
                    match.word.reason))
    for (path, text), used in allowed.items():
        if path in checked and not used:
            count += 1
            print('%s: remove the row %r of allowed.tsv: nothing matches' % (
                path, text))
    if count:
        print('%d places; docs/style.md describes the style' % count)
    return int(count > 0)


if __name__ == '__main__':
    sys.exit(main())
