"""Which module of a package imports which, wherever in a file, and by name, too.

A linter that runs no code sees the imports at the top of modules of Python. This reads
Cython's modules as well, and follows calls such as ``import_module('package.module')``.
What only type checkers import is left out.
"""
from __future__ import annotations

import ast
import re
from pathlib import Path

_FROM = re.compile(r'^\s*from\s+([\w.]+)\s+c?import\s+(\([^)]*\)|(?:.*\\\n)*.*)', re.M)
_IMPORT = re.compile(r'^\s*c?import\s+([\w., ]+)', re.M)
_INCLUDE = re.compile(r"^include\s+['\"](.*)['\"]", re.M)


def read(folder: Path) -> dict[str, set[str]]:
    """Return the names of the modules in a package, and of those that each imports."""
    paths = {}
    for path in sorted([*folder.rglob('*.py'), *folder.rglob('*.pyx')]):
        parts = path.relative_to(folder.parent).with_suffix('').parts
        paths['.'.join(parts[:-1] if parts[-1] == '__init__' else parts)] = path

    def known(name):
        while name and name not in paths:
            name = name.rpartition('.')[0]
        return name

    graph = {}
    for module, path in paths.items():
        of_file = _of_cython if path.suffix == '.pyx' else _of_python
        package = module if path.stem == '__init__' else module.rpartition('.')[0]
        graph[module] = {known(name) for name in of_file(path, package)} - {module, ''}
    return graph


def _of_cython(path, package):
    text = path.read_text(encoding='utf-8')
    for included in _INCLUDE.findall(text):
        text += '\n' + (path.parent / included).read_text(encoding='utf-8')
    for module, names in _FROM.findall(text):
        for name in re.split(r'[\s,()\\]+', names):
            yield '%s.%s' % (module, name)
    for names in _IMPORT.findall(text):
        yield from [name.split()[0] for name in names.split(',') if name.strip()]


def _of_python(path, package):
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding='utf-8'))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            yield from [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ''
            if node.level:
                outer = package.split('.')
                outer = outer[:len(outer) - node.level + 1]
                module = '.'.join([*outer, module] if module else outer)
            yield from ['%s.%s' % (module, each.name) for each in node.names]
        elif (isinstance(node, ast.Call) and 'import' in ast.unparse(node.func)
                and node.args and isinstance(node.args[0], ast.Constant)):
            yield str(node.args[0].value)


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that all reach each other, the largest first."""
    # Tarjan's algorithm; `path` has what is being searched, with what is left to see.
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    found = []
    for start in graph:
        if start in number:
            continue
        path = [(start, iter(sorted(graph[start])))]
        number[start] = lowest[start] = len(number)
        open_.append(start)
        while path:
            module, rest = path[-1]
            for other in rest:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    open_.append(other)
                    path.append((other, iter(sorted(graph[other]))))
                    break
                if other in open_:
                    lowest[module] = min(lowest[module], number[other])
            else:
                path.pop()
                if path:
                    outer = path[-1][0]
                    lowest[outer] = min(lowest[outer], lowest[module])
                if lowest[module] == number[module]:
                    place = open_.index(module)
                    circle = set(open_[place:])
                    del open_[place:]
                    if len(circle) > 1:
                        found.append(circle)
    return sorted(found, key=len, reverse=True)
