"""Checks of types by pyright and mypy; `make lint` runs them.

    python tests/typing/check.py

pyright has to know at least 90 % of the public names, as `--verifytypes` counts them,
and both have to accept `user_code.py` at their strictest, under the name chainer as
well. With the distribution of `compat/` they find all names of Chainer's manual, of
chainermn, onnx_chainer and chainerx. Imports for type checkers may lead in circles, as
classes name each other, but not in large ones.
"""
import collections
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile

import grimp
import numpy
import scipy.sparse.csgraph

from chainer_fast import chainerx

LEAST = 0.9

# Variables, functions, links and update rules have each other as attributes.
MOST_IN_A_CIRCLE = 25

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COMPAT = os.path.join(ROOT, 'compat')


def run(module, *arguments, path=()):
    """Return the finished process of a module that is a program."""
    path = os.pathsep.join([ROOT, *path])
    return subprocess.run(
        [sys.executable, '-m', module, *arguments], cwd=ROOT, text=True,
        capture_output=True, env={
            **os.environ, 'PYTHONPATH': path, 'MYPYPATH': path,
            'PYRIGHT_PYTHON_IGNORE_WARNINGS': '1'})


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


def all_names():
    """Return a program that imports all there is in the distribution of `compat/`."""
    with open(os.path.join(COMPAT, 'names_manual.txt')) as file:
        names = file.read().split()
    for package in 'chainermn', 'onnx_chainer':
        with open(os.path.join(COMPAT, 'names_%s.json' % package)) as file:
            names += [name for name, described in json.load(file).items()
                      if described['kind'] != 'module'
                      and '.convert_' not in name]  # made by loops
    names += ['chainerx.' + name for name, value in vars(chainerx).items()
              if not name.startswith('_') and not inspect.ismodule(value)]
    lines = ['from %s import %s as name%d' % (*name.rsplit('.', 1), number)
             for number, name in enumerate(names)]
    return '\n'.join(['# pyright: basic', *lines, ''])


def write_programs(folder):
    """Write what the type checkers are to read into a folder."""
    for name in 'user_code.py', 'alias_code.py':
        shutil.copy(os.path.join(HERE, name), folder)
    with open(os.path.join(HERE, 'user_code.py')) as file:
        text = file.read().replace('import chainer_fast as chainer', 'import chainer')
    for name, program in {'renamed_code.py': text.replace('chainer_fast', 'chainer'),
                          'names.py': all_names()}.items():
        with open(os.path.join(folder, name), 'w') as file:
            file.write(program)


def refused_by_pyright(folder, site):
    """Return what pyright has against the programs in a folder, at its strictest."""
    with open(os.path.join(folder, 'pyrightconfig.json'), 'w') as file:
        json.dump({
            'typeCheckingMode': 'strict', 'extraPaths': [ROOT, site],
            # What they have to refuse is ignored by a comment, as mypy has it.
            'reportUnnecessaryTypeIgnoreComment': True}, file)
    done = run('pyright', '--pythonpath', sys.executable, '-p', folder)
    return '' if done.returncode == 0 else done.stdout + done.stderr


def refused_by_mypy(folder, site):
    """Return what mypy has against the programs in a folder, at its strictest."""
    done = run('mypy', '--strict', '--config-file', os.devnull, folder, path=[site])
    # Without the settings of the project, the project itself has errors.
    rows = [row for row in done.stdout.splitlines()
            if any(program in row for program in os.listdir(folder))]
    if done.returncode not in (0, 1):
        rows.append(done.stdout + done.stderr)
    return '\n'.join(rows)


def refused_programs():
    """Return what pyright and mypy have against the programs."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as site:
        write_programs(folder)
        subprocess.run(
            [sys.executable, 'setup.py', '--quiet', 'build_py', '--build-lib', site],
            cwd=COMPAT, check=True)
        return [refused_by_pyright(folder, site), refused_by_mypy(folder, site)]


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
    refused = refused_programs()
    circle = largest_circle()
    if len(circle) > MOST_IN_A_CIRCLE:
        refused.append('these import each other:\n' + '\n'.join(circle))
    print('\n'.join(filter(None, refused)))
    sys.exit(known_share() < LEAST or any(refused))


if __name__ == '__main__':
    main()
