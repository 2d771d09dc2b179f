"""The command line of ``chainer-fast check``."""
import difflib
import fnmatch
import sys

from chainer_fast._help import installation
from chainer_fast._help.command.check import analysis, output, sources
from chainer_fast._help.command.parser import Parser

CLEAN, FOUND, UNREADABLE = 0, 1, 2

_DESCRIPTION = '''\
Report what no longer works in the sources of a program: removed names, arguments and
idioms of chainer, chainermn, onnx_chainer, CuPy, NumPy, SciPy and Python, and names and
arguments that the installed packages lack. Nothing is run. Notebooks and sources of
Python 2 are supported.'''

_EPILOG = '''\
exit status: 0 if nothing is found; 1 if findings remain; 2 for wrong usage, or a file
that cannot be read or written.

A line that ends with "# chainer-fast: ignore", or with "ignore[ENTRY; ENTRY]", is not
reported. docs/migration.md shows examples. --fix, --fix-imports and Python 2 need
  %s

  chainer-fast check .                     report on all sources below this folder
  chainer-fast check --diff train.py       show what --fix would write
  chainer-fast check --fix train.py        write it, and report what remains
  chainer-fast check --sarif . >check.sarif'''


def add_arguments(parser):
    """Declare the arguments of the command."""
    parser.add_argument('paths', nargs='+', metavar='PATH',
                        help='a file, or a folder to search for .py and .ipynb')
    parser.add_argument('--fix', action='store_true',
                        help='rewrite findings that can be rewritten without changing '
                             'results')
    parser.add_argument('--fix-imports', action='store_true',
                        help='also rewrite imports: import chainer_fast as chainer, '
                             'and so on')
    parser.add_argument('--diff', action='store_true',
                        help='print what --fix (the default here) or --fix-imports '
                        'would change, and write nothing')
    form = parser.add_mutually_exclusive_group()
    form.add_argument('--json', action='store_true', help='print findings as JSON')
    form.add_argument('--sarif', action='store_true',
                      help='print findings as SARIF 2.1.0, for code scanning')
    parser.add_argument('--select', action='append', metavar='ENTRY',
                        help="report these entries only: full names with * and ?, such "
                        "as 'numpy.*'; may be repeated")
    parser.add_argument('--ignore', action='append', metavar='ENTRY', default=[],
                        help='do not report these entries; may be repeated')
    parser.add_argument('--written-for', action='append', metavar='VERSION', default=[],
                        choices=['v1', 'v2', 'v3', 'v4', 'python'],
                        help='v1 to v4: report calls that still work but had another '
                             'meaning in that version of Chainer; python: report '
                             'divisions that Python 2 rounded')


def _wanted(finding, arguments):
    def matches(patterns):
        return any(fnmatch.fnmatchcase(finding.what, pattern)
                   or pattern == finding.what for pattern in patterns)
    return (not arguments.select or matches(arguments.select)) and not matches(
        arguments.ignore)


def _findings(text, arguments, written_for):
    return [finding for finding in analysis.findings(text, written_for)
            if _wanted(finding, arguments)]


def _fixed(source, arguments):
    """Return the text of a source after the requested fixes."""
    from chainer_fast._help.command.check import fix
    return fix.fixed(
        source.text, lambda finding: _wanted(finding, arguments),
        arguments.written_for,
        is_fixed=arguments.fix or not arguments.fix_imports,
        are_imports=arguments.fix_imports)


def _diff(source, text):
    return ''.join(
        line if line.endswith('\n') else line + '\n\\ No newline at end of file\n'
        for line in difflib.unified_diff(
            source.text.splitlines(keepends=True), text.splitlines(keepends=True),
            source.path, source.path))


def _process(path, arguments):
    """Check one file, fix it if requested, and return a ``Result``."""
    source = sources.Source(path)
    text, diff, written_for = source.text, '', arguments.written_for
    try:
        if arguments.fix or arguments.fix_imports or arguments.diff:
            if not analysis.compiles(text):
                # Divisions are also checked in the converted source.
                written_for = [*written_for, 'python']
            text = _fixed(source, arguments)
            if text != source.text:
                if arguments.diff:
                    diff = _diff(source, text)
                    text = source.text
                else:
                    source.write(text)
                    source = sources.Source(path)
        found = _findings(text, arguments, written_for)
    except SyntaxError as error:
        raise sources.Unreadable('%s:%s: %s' % (
            path, error.lineno or 1, error.msg or error)) from error
    except RecursionError as error:
        raise sources.Unreadable('%s: an expression is too deeply nested' % path
                                 ) from error
    except OSError as error:
        raise sources.Unreadable('%s: cannot be written: %s' % (path, error)) from error
    return output.Result(source, found, diff)


def main(arguments):
    """Run the command, and return the exit status.

    Parameters
    ----------
    arguments : list of str
        Arguments after ``check``.
    """
    parser = Parser(prog='chainer-fast check', description=_DESCRIPTION,
                    epilog=_EPILOG % installation.install('check'))
    add_arguments(parser)
    parsed = parser.parse_args(arguments)
    if parsed.fix or parsed.fix_imports or parsed.diff:
        from chainer_fast._help.command.check import fix
        missing = fix.missing()
        if missing:
            print('chainer-fast check: --fix, --fix-imports and --diff need %s: %s'
                  % (missing, installation.install('check')), file=sys.stderr)
            return UNREADABLE
    results, problems = [], []
    for path in sources.collect(parsed.paths):
        try:
            results.append(_process(path, parsed))
        except sources.Unreadable as error:
            problems.append(str(error))
    for problem in problems:
        print('chainer-fast check: ' + problem, file=sys.stderr)
    if parsed.diff and not (parsed.json or parsed.sarif):
        sys.stdout.write(''.join(result.diff for result in results))
    else:
        form = output.json_text if parsed.json else (
            output.sarif_text if parsed.sarif else output.plain_text)
        print(form(results, problems))
    if problems:
        return UNREADABLE
    return FOUND if any(result.findings for result in results) else CLEAN
