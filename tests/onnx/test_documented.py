"""The tables of docs/onnx.md, against the converters."""
import importlib
import pathlib
import pkgutil

from chainer_fast.onnx import functions, mapping

TEXT = (pathlib.Path(__file__).parents[2] / 'docs' / 'onnx.md').read_text()

FAMILIES = [
    'activation', 'array', 'connection', 'loss', 'math', 'noise', 'normalization',
    'pooling', 'rnn']


def modules():
    """Pairs of a family and each of its modules; private ones go with mathematics."""
    for found in pkgutil.iter_modules(functions.__path__):
        family = 'math' if found.name.startswith('_') else found.name
        if family in FAMILIES:
            yield family, importlib.import_module(
                '%s.%s' % (functions.__name__, found.name))


def tables():
    """Lines of the two tables."""
    exported = {family: set() for family in FAMILIES}
    refused = {}
    for family, module in modules():
        for name, converter in vars(module).items():
            if not name.startswith('convert_'):
                continue
            why = getattr(converter, 'refuses', None)
            if why is None:
                exported[family].add(name[len('convert_'):])
            else:
                refused.setdefault(why, set()).add(name[len('convert_'):])
    yield from (
        '| %s | %s |' % (family, ', '.join(sorted(names, key=str.lower)))
        for family, names in exported.items())
    yield from sorted(
        '| %s | %s |' % (', '.join(sorted(names, key=str.lower)), why)
        for why, names in refused.items())


def test_tables_are_up_to_date():
    missing = [line for line in tables() if line not in TEXT.splitlines()]
    assert not missing, 'docs/onnx.md lacks\n' + '\n'.join(missing)


def test_tables_have_all_converters():
    listed = {
        name for line in tables() for cell in line.split('|') for name in
        cell.strip().split(', ')}
    assert listed >= set(mapping.converters)


if __name__ == '__main__':
    print('\n'.join(tables()))
