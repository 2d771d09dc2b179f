"""Build of the names: all modules, as forwards to those of chainer_fast.

Type checkers and editors read them, and Python never does, as ``import chainer`` gives
modules of chainer_fast. They are made from the sources in the folder beside this one.
"""
import re
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCES = Path(__file__).resolve().parent.parent / 'chainer_fast'

NAMES = {
    'chainer': 'chainer_fast', 'chainermn': 'chainer_fast.mn',
    'chainerx': 'chainer_fast.chainerx', 'onnx_chainer': 'chainer_fast.onnx'}


def modules(folder):
    """Yield the public modules below a folder: the parts of their names, their paths.
    """
    for path in sorted([*folder.rglob('*.py'), *folder.rglob('*.pyx')]):
        parts = path.relative_to(folder).with_suffix('').parts
        if parts[-1] == '__init__':
            parts = parts[:-1]
        if not any(part.startswith('_') or part == 'shim' for part in parts):
            yield parts, path


def forwards():
    """Return the texts of the forwards, by their paths.

    Those of the packages themselves are stubs beside what Python imports. The others
    are no stubs, since pyright warns of stubs that stand alone.
    """
    texts = {}
    for name, target in NAMES.items():
        texts[name + '/py.typed'] = ''
        folder = SOURCES.joinpath(*target.split('.')[1:])
        for parts, path in modules(folder):
            module = '.'.join([target, *parts])
            text = 'from %s import *\n' % module
            if re.search(r'^(from .+ import )?__version__\b', path.read_text('utf-8'),
                         re.M):
                text += 'from %s import __version__ as __version__\n' % module
            file = Path(name, *parts)
            texts[(file / ('__init__.py' if parts else '__init__.pyi')
                   if path.stem == '__init__' else file.with_suffix('.py')
                   ).as_posix()] = text
    return texts


class Build(build_py):
    """Adds the forwards to what Python imports."""

    def run(self):
        if not SOURCES.is_dir():
            sys.exit('this folder has to stand beside chainer_fast, in a clone or a '
                     'source distribution of it: there is no %s' % SOURCES)
        super().run()
        for path, text in forwards().items():
            file = Path(self.build_lib, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding='utf-8', newline='\n')

    def get_outputs(self, include_bytecode=True):
        return [*super().get_outputs(include_bytecode),
                *(str(Path(self.build_lib, path)) for path in forwards())]


setup(
    cmdclass={'build_py': Build},
    # Links to the files, and a path: type checkers follow no hook of imports.
    options={'editable_wheel': {'mode': 'strict'}})
