"""Find kernels of chainer_fast that a run of tests has not compiled.

It compares the calls in the sources that make kernels with the kernels that a run of
tests on the stand-in for CuPy has recorded::

    HOST_CUPY_INSTANCES=build/kernels.json pytest -m gpu tests
    python tests/doubles/device_code/missing.py build/kernels.json

The calls are those of ``cuda.elementwise``, ``cuda.reduce``, ``cuda.raw``, of sums and
means (:mod:`chainer_fast.backends.kernels.reduction.cuda`) and of the methods of
:class:`~chainer_fast.backends.kernels.elements.Elements`; where such a call gets its
code from the arguments of the function that it is in, they are the calls of that
function.
"""
import ast
import json
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).parents[3] / 'chainer_fast'
MAKERS = ['cuda.elementwise', 'cuda.reduce', 'cuda.raw', 'elements.form',
          'elements.kernel', 'kernels.elementwise', 'elementwise', 'reduction.reduce',
          'reduction.mean']


def _called(node):
    """Return what a call calls, such as ``'cuda.raw'``, or an empty string."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return '%s.%s' % (function.value.id, function.attr)
    return function.id if isinstance(function, ast.Name) else ''


def _passes_arguments(call, function):
    """Whether a call gets its code from the arguments of the function it is in."""
    arguments = function.args
    names = {arg.arg for arg in [*arguments.args, *arguments.kwonlyargs]}
    names |= {arg.arg for arg in (arguments.vararg, arguments.kwarg) if arg}
    return any(isinstance(arg, ast.Name) and arg.id in names for arg in call.args[:3])


def _site(call):
    """Return (first line, last line, texts) of a call.

    One of its texts is the name of the kernel, unless that is put together.
    """
    return call.lineno, call.end_lineno, [
        node.value.replace('::', '_') for node in ast.walk(call)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def calls_in(source):
    """Return :func:`_site` of all calls in a source that make kernels."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found, makers = [], [*MAKERS]
    for maker in makers:
        for call in calls:
            if _called(call) != maker:
                continue
            # The innermost function around it comes last.
            around = [f for f in functions if f.lineno <= call.lineno <= f.end_lineno]
            inner = max(around, key=lambda f: f.lineno, default=None)
            if inner is None or not _passes_arguments(call, inner):
                found.append(_site(call))
            elif inner.name not in makers:
                makers.append(inner.name)
    return sorted(found, key=lambda site: site[:2])


def missing(kernels, package=PACKAGE):
    """Return the calls in a package that have made none of the recorded kernels.

    Parameters
    ----------
    kernels : iterable of dict
        As in the file of recorded kernels.
    package : pathlib.Path
        Folder of the sources.

    Returns
    -------
    list of str
        ``'file:line'`` of each.
    """
    names, lines = set(), set()
    for kernel in kernels:
        names.add(kernel['init']['name'])
        for place in kernel['made_at'] or ():
            path, _, line = place.rpartition(':')
            lines.add((path, int(line)))
    out = []
    for path in sorted(package.rglob('*.py')):
        relative = str(path.relative_to(package))
        for first, last, texts in calls_in(path.read_text()):
            if not names.intersection(texts) and not any(
                    (relative, line) in lines for line in range(first, last + 1)):
                out.append('%s:%d' % (relative, first))
    return out


def main():
    """Print the calls whose kernels are missing; return 1 if there are some."""
    with open(sys.argv[1]) as file:
        kernels = [json.loads(line) for line in file]
    absent = missing(kernels)
    for place in absent:
        print('NOT COMPILED by any test on the stand-in: %s' % place)
    total = sum(len(calls_in(path.read_text())) for path in PACKAGE.rglob('*.py'))
    print('%d of %d calls that make kernels have been reached' % (
        total - len(absent), total))
    return 1 if absent else 0


if __name__ == '__main__':
    sys.exit(main())
