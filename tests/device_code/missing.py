"""Find kernels of chainer_fast that a run of tests has not compiled.

It compares the calls in the sources that make kernels with the kernels that a run of
tests on the stand-in for CuPy has recorded::

    HOST_CUPY_INSTANCES=build/kernels.json pytest -m gpu tests
    python tests/device_code/missing.py build/kernels.json

The calls are those of ``cuda.elementwise``, ``cuda.reduce`` and ``cuda.raw``; where such
a call gets the code of the kernel as an argument of the function that it is in, the calls
of that function; and ``device_form``.
"""
import ast
import json
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).parents[2] / 'chainer_fast'
MAKERS = {'elementwise', 'reduce', 'raw'}


def _name_of(node):
    """Return what a call calls: ``'cuda.raw'``, ``'device_form'``, or an empty string."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return '%s.%s' % (function.value.id, function.attr)
    return function.id if isinstance(function, ast.Name) else ''


def _passes_arguments(call, function):
    """Whether one of the first arguments of a call is an argument of its function."""
    names = {arg.arg for arg in [*function.args.args, *function.args.kwonlyargs]}
    names |= {arg.arg for arg in (function.args.vararg, function.args.kwarg) if arg}
    return any(isinstance(node, ast.Name) and node.id in names
               for arg in [*call.args[2:], *call.keywords] for node in ast.walk(arg)
               if getattr(arg, 'arg', '') != 'preamble')


def calls_in(source):
    """Return (first line, last line, name) of the calls that make kernels.

    The name is that of the kernel for ``device_form``, whose kernel is made elsewhere,
    and otherwise None.
    """
    tree = ast.parse(source)
    found, wrappers = [], set()
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = _name_of(node)
        if name == 'device_form':
            found.append((node.lineno, node.end_lineno,
                          node.args[1].value.replace('::', '_')))
        module, _, maker = name.partition('.')
        if module == 'cuda' and maker in MAKERS:
            # The innermost function that the call is in.
            around = [f for f in functions if f.lineno <= node.lineno <= f.end_lineno]
            inner = max(around, key=lambda f: f.lineno, default=None)
            if inner is not None and _passes_arguments(node, inner):
                wrappers.add(inner.name)
            else:
                found.append((node.lineno, node.end_lineno, None))
    found += [(node.lineno, node.end_lineno, None) for node in ast.walk(tree)
              if isinstance(node, ast.Call) and _name_of(node) in wrappers]
    return found


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
        ``'file:line'`` of each, with the name if it is known.
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
        for first, last, name in calls_in(path.read_text()):
            if name is not None:
                compiled = name in names
            else:
                compiled = any((relative, line) in lines
                               for line in range(first, last + 1))
            if not compiled:
                out.append('%s:%d%s' % (relative, first, ' ' + name if name else ''))
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
