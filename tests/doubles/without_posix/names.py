"""Names of the standard library that Linux has and Windows lacks.

mypy includes typeshed, whose stubs define names under conditions of ``sys.platform``.
"""
import ast
import importlib.util
import os
import sys
import types


def absent():
    """Return the names that Windows lacks.

    Returns
    -------
    dict
        The key ``'modules'`` has a list of modules, ``'names'`` a dict with a list of
        names for each other module, and ``'members'`` a dict with a list of names for
        each class of constants.
    """
    found: dict = {'modules': [], 'names': {}, 'members': {}}
    for module, tree in _stubs():
        here, there = (_names(tree, platform) for platform in ('linux', 'win32'))
        lacking = sorted(here.keys() - there.keys())
        if here and all(name.startswith('_') for name in there):
            found['modules'].append(module)
        elif lacking:
            found['names'][module] = lacking
        for name in here.keys() & there.keys():
            members = sorted(here[name] - there[name])
            if members:
                found['members']['%s.%s' % (module, name)] = members
    return found


def _stubs():
    """Yield the name and the syntax tree of each stub that depends on the system."""
    spec = importlib.util.find_spec('mypy')
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError('this needs mypy: pip install ".[lint]"', name='mypy')
    root = os.path.join(spec.submodule_search_locations[0], 'typeshed', 'stdlib')
    for folder, _, files in os.walk(root):
        for file in files:
            path = os.path.join(folder, file)
            if not file.endswith('.pyi'):
                continue
            with open(path, encoding='utf-8') as opened:
                text = opened.read()
            if 'sys.platform' in text:
                name = os.path.relpath(path, root).removesuffix('.pyi')
                yield (name.replace(os.sep, '.').removesuffix('.__init__'),
                       ast.parse(text))


def _names(tree, platform):
    """Return what a module or class defines: for each name its members."""
    found: dict = {}
    _collect(tree.body, {'sys': types.SimpleNamespace(
        platform=platform, version_info=sys.version_info)}, platform, found)
    return found


def _collect(body, scope, platform, found):
    """Add the names of statements; return whether the rest of them is reached."""
    for node in body:
        if isinstance(node, ast.If):
            branch = node.body if _holds(node.test, scope) else node.orelse
            if not _collect(branch, scope, platform, found):
                return False
        elif isinstance(node, ast.Assert):
            if not _holds(node.test, scope):
                return False
        elif isinstance(node, ast.ClassDef):
            found[node.name] = set(_names(node, platform))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[node.name] = set()
        elif isinstance(node, ast.ImportFrom):
            # `a as a` makes a name public in a stub.
            found.update({alias.asname: set() for alias in node.names
                          if alias.asname == alias.name})
        else:
            targets = getattr(node, 'targets', [getattr(node, 'target', None)])
            found.update({target.id: set() for target in targets
                          if isinstance(target, ast.Name) and target.id != '__all__'})
    return True


def _holds(test, scope):
    """Return the value of a condition; those of other things than systems hold."""
    used = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    if used - {'sys'}:
        return True
    return eval(compile(ast.Expression(test), 'a stub', 'eval'), scope)
