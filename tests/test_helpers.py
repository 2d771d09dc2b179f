"""What several tests need is in modules of its own: no test imports another."""
import ast
import pathlib

TESTS = pathlib.Path(__file__).parent
ROOT = TESTS.parent


def is_of_tests(module):
    """Tell whether a name is that of a file of tests, or of a conftest."""
    parts = module.split('.')
    first, last = parts[0], parts[-1]
    return first == 'tests' and (last.startswith('test_') or last == 'conftest') and (
        ROOT.joinpath(*parts).with_suffix('.py').exists())


def imported(path):
    """Yield the line and the name of each module that a file may import."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[:len(package) - node.level + 1] if node.level else ()
            module = '.'.join([*above, *filter(None, [node.module])])
            yield node.lineno, module
            for alias in node.names:
                yield node.lineno, module + '.' + alias.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # Programs that other processes run, and plugins by name.
            for word in node.value.replace('from tests import ', 'tests.').split():
                yield node.lineno, word


def files():
    for path in sorted(TESTS.rglob('*.py')):
        # Programs of earlier years are in Python 2, too.
        if 'programs' not in path.parts or 'legacy' not in path.parts:
            yield path


def test_no_test_imports_another():
    found = ['%s:%d: %s' % (path.relative_to(ROOT), line, module)
             for path in files() for line, module in imported(path)
             if is_of_tests(module)]
    assert found == []


def test_imports_of_tests_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f'{__name__}.ROOT', tmp_path)
    folder = tmp_path / 'tests' / 'part'
    folder.mkdir(parents=True)
    (folder / 'test_a.py').write_text('')
    (folder / 'conftest.py').write_text('')
    source = folder / 'test_b.py'
    for text in ('import tests.part.test_a', 'from tests.part import test_a as a',
                 'from tests.part.test_a import x', 'from . import test_a',
                 'from .test_a import x', 'from tests.part.conftest import x',
                 'def f():\n    import tests.part.test_a',
                 'code = "from tests.part.test_a import x"'):
        source.write_text(text)
        assert any(is_of_tests(module) for _, module in imported(source)), text
    source.write_text('from tests.part import helper\nimport test_of_another')
    assert not any(is_of_tests(module) for _, module in imported(source))
