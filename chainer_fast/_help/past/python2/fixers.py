"""The fixers of fissix, by the ends of their names: ``print``, ``dict``."""
import functools
import logging


def library():
    """Return the used modules of fissix, with their logging silenced."""
    from fissix import pygram, refactor
    logging.getLogger('RefactoringTool').setLevel(logging.ERROR)
    logging.getLogger('fissix').setLevel(logging.ERROR)
    return pygram, refactor


def is_there():
    """Return whether fissix is installed."""
    try:
        library()
    except ModuleNotFoundError:
        return False
    return True


def _modules():
    _, refactor = library()
    return refactor.get_fixers_from_package('fissix.fixes')


def name(module):
    """Return the name of the fixer in a module."""
    return module.rpartition('fix_')[2]


def names():
    """Return the names of all fixers."""
    return frozenset(map(name, _modules()))


@functools.cache
def tool(names, prints=False):
    """Return a tool with the fixers of these names; ``prints``: print is a function."""
    _, refactor = library()
    _keep_streams()
    fixers = [module for module in _modules() if name(module) in names]
    return refactor.RefactoringTool(fixers, {'print_function': prints})


def _keep_streams():
    """Make fissix skip StringIO: its replacement depends on its contents."""
    from fissix.fixes import fix_imports
    fix_imports.FixImports.mapping = {
        old: new for old, new in fix_imports.MAPPING.items()
        if old not in ('StringIO', 'cStringIO')}


def run(text, names, prints=False):
    """Return a text after applying the fixers of :func:`tool`."""
    try:
        tree = tool(names, prints).refactor_string(text + '\n', '<source>')
    except Exception as error:      # each of fissix's modules has its own errors
        raise SyntaxError(str(error)) from error
    if tree is None:
        raise SyntaxError('neither Python 3 nor Python 2 can parse it')
    # fissix requires the line feed that was added at the end.
    return str(tree).removesuffix('\n')
