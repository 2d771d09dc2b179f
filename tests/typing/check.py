"""Checks of types by pyright and mypy; `make lint` runs them.

    python tests/typing/check.py

pyright has to know at least 90 % of the public names, as `--verifytypes` counts them,
and both have to accept `user_code.py` at their strictest. Imports for type checkers may
lead in circles, as classes name each other, but not in large ones.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

import grimp
import numpy
import scipy.sparse.csgraph

LEAST = 0.9

# Variables, functions, links and update rules have each other as attributes.
MOST_IN_A_CIRCLE = 25

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
USER_CODE = os.path.join(HERE, 'user_code.py')


def run(module, *arguments):
    """Return the finished process of a module that is a program."""
    return subprocess.run(
        [sys.executable, '-m', module, *arguments], cwd=ROOT, text=True,
        capture_output=True, env={
            **os.environ, 'PYTHONPATH': ROOT, 'PYRIGHT_PYTHON_IGNORE_WARNINGS': '1'})


def known_share():
    """Print what pyright counts, and return the share of the names that it knows."""
    done = run('pyright', '--pythonpath', sys.executable, '--verifytypes',
               'chainer_fast', '--ignoreexternal', '--outputjson')
    try:
        counted = json.loads(done.stdout)['typeCompleteness']
    except (ValueError, KeyError):
        sys.exit('pyright has no answer:\n%s%s' % (done.stdout, done.stderr))
    share = counted['completenessScore']
    print('public names with a known type: %.1f %%, %s' % (
        100 * share, counted['exportedSymbolCounts']))
    if share < LEAST:
        for symbol in counted['symbols']:
            if symbol['isExported'] and not symbol['isTypeKnown']:
                print(symbol['name'])
    return share


def refused_by_pyright():
    """Return what pyright has against the program, at its strictest."""
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, 'pyrightconfig.json')
        with open(config, 'w') as file:
            json.dump({
                'typeCheckingMode': 'strict', 'extraPaths': [ROOT],
                'include': [os.path.relpath(USER_CODE, folder)]}, file)
        done = run('pyright', '--pythonpath', sys.executable, '-p', config)
    return '' if done.returncode == 0 else done.stdout + done.stderr


def refused_by_mypy():
    """Return what mypy has against the program, at its strictest."""
    done = run('mypy', '--strict', '--config-file', os.devnull, USER_CODE)
    # Without the settings of the project, the project itself has errors.
    rows = [row for row in done.stdout.splitlines() if 'user_code.py' in row]
    if done.returncode not in (0, 1):
        rows.append(done.stdout + done.stderr)
    return '\n'.join(rows)


def largest_circle():
    """Return the modules of the largest circle of imports, those for types included."""
    sys.path.insert(0, ROOT)    # where grimp looks for the package
    graph = grimp.build_graph('chainer_fast', cache_dir=None)
    # Users set the switch of this module's warning on the package, which imports all.
    graph.remove_import(
        importer='chainer_fast.utils.experimental', imported='chainer_fast')
    modules = sorted(graph.modules)
    imports = numpy.array([
        [other in imported for other in modules]
        for imported in map(graph.find_modules_directly_imported_by, modules)])
    _, circles = scipy.sparse.csgraph.connected_components(imports, connection='strong')
    (largest, _), = collections.Counter(circles).most_common(1)
    return [name for name, circle in zip(modules, circles, strict=True)
            if circle == largest]


def main():
    refused = [refused_by_pyright(), refused_by_mypy()]
    circle = largest_circle()
    if len(circle) > MOST_IN_A_CIRCLE:
        refused.append('these import each other:\n' + '\n'.join(circle))
    print('\n'.join(filter(None, refused)))
    sys.exit(known_share() < LEAST or any(refused))


if __name__ == '__main__':
    main()
