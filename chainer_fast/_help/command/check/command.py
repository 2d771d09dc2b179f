"""The command line of ``chainer-fast check``."""
import difflib
import fnmatch
import sys

from chainer_fast._help import installation
from chainer_fast._help.command.check import analysis, output, sources
from chainer_fast._help.command.parser import Parser

CLEAN, FOUND, UNREADABLE = 0, 1, 2

_DESCRIPTION = '''\
Tell what no longer works in the sources of a program: names, arguments and idioms of
chainer, chainermn, onnx_chainer, CuPy, NumPy, SciPy and Python that are gone, and names
and arguments that the installed packages lack. Nothing is run. Notebooks are read, too,
and sources of Python 2.'''

_EPILOG = '''\
exit status: 0 nothing found; 1 something found that is still there; 2 wrong usage, or a
file that cannot be read or written.

A line that ends with "# chainer-fast: ignore", or with "ignore[ENTRY; ENTRY]", is left
alone. docs/migration.md shows examples. --fix, --fix-imports and Python 2 need
  %s

  chainer-fast check .                     report on all sources below this folder
  chainer-fast check --diff train.py       show what --fix would write
  chainer-fast check --fix train.py        write it, and report what is left
  chainer-fast check --sarif . >check.sarif'''


def add_arguments(parser):
    """Declare the arguments of the command."""
    parser.add_argument('paths', nargs='+', metavar='PATH',
                        help='a file, or a folder to search for .py and .ipynb')
    parser.add_argument('--fix', action='store_true',
                        help='rewrite what can be rewritten without changing results')
    parser.add_argument('--fix-imports', action='store_true',
                        help='import chainer_fast as chainer, and so on, as well')
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
                        help='v1 to v4: report calls that still work and meant '
                        'something else in that version of Chainer; python: divisions '
                        'that Python 2 rounded')


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
    """Return the text of a source after the fixes that were asked for."""
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
    """Read, and perhaps change, one file; return a ``Result``."""
    source = sources.Source(path)
    text, diff, written_for = source.text, '', arguments.written_for
    try:
        if arguments.fix or arguments.fix_imports or arguments.diff:
            if not analysis.compiles(text):
                # Its divisions are looked for in what is made of it, too.
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
        raise sources.Unreadable('%s: an expression is nested too deeply' % path
                                 ) from error
    except OSError as error:
        raise sources.Unreadable('%s: cannot be written: %s' % (path, error)) from error
    return output.Result(source, found, diff)


def main(arguments):
    """Do what the arguments say, and return the exit status.

    Parameters
    ----------
    arguments : list of str
        Those behind ``check``.
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
