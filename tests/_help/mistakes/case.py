"""A common mistake: its code, and what running it tells."""
from __future__ import annotations

import contextlib
import dataclasses
import io
import tempfile
import textwrap
import warnings

# What a message is worth to a person who made the mistake.
GRADES = ('silent', 'obscure', 'what', 'clear', 'cure')

# Names that the code of Chainer and of chainer_fast may use.
PRELUDE = '''
import io
import numpy as np
import {chainer} as chainer
from {chainer} import functions as F, links as L, optimizers, training
from {chainer}.training import extensions

x = np.zeros((2, 3), np.float32)
t = np.array([0, 1], np.int32)
image = np.zeros((2, 3, 8, 8), np.float32)

class MLP(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(3, 4)
            self.l2 = L.Linear(4, 3)
    def forward(self, x):
        return self.l2(F.relu(self.l1(x)))

model = L.Classifier(MLP())
optimizer = optimizers.SGD()

def train(*chosen, out='.', examples=None, module=model):
    if examples is None:
        examples = chainer.datasets.TupleDataset(x, t)
    batches = chainer.iterators.SerialIterator(examples, 2)
    updater = training.StandardUpdater(batches, optimizer.setup(module))
    trainer = training.Trainer(updater, (1, 'epoch'), out)
    for extension in chosen:
        trainer.extend(extension)
    trainer.run()
'''
TORCH_PRELUDE = '''
import torch
from torch import nn
from torch.nn import functional as F

x = torch.zeros(2, 3)
t = torch.tensor([0, 1])
image = torch.zeros(2, 3, 8, 8)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
'''


@dataclasses.dataclass(frozen=True)
class Case:
    """A mistake.

    Attributes
    ----------
    name : str
        The mistake in a few words; it identifies the case.
    code : str
        The mistake, made with Chainer's names.
    says : tuple of str
        What the answer of chainer_fast has to hold: the place, what came, what was
        expected, the cure.
    grades : tuple of str
        How good the answers of Chainer, PyTorch and chainer_fast are, of ``GRADES``.
    torch : str or None
        The mistake with PyTorch; None if there is no such mistake there.
    type : str or None
        What chainer_fast raises where it is no error of Chainer's type.
    """

    name: str
    code: str
    says: tuple[str, ...]
    grades: tuple[str, str, str]
    torch: str | None = None
    type: str | None = None


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a program said: the type of an exception or a warning, and its text.

    A program that says nothing has no type. ``types`` are the names of the type and of
    its bases.
    """

    type: str | None
    text: str
    types: tuple[str, ...] = ()


def ask(prelude: str, code: str) -> Answer:
    """Run code; return the exception it ends with, or else its first warning."""
    names: dict[str, object] = {'__name__': 'program'}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        exec(compile(prelude, '<prelude>', 'exec'), names)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        names['folder'] = folder
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        seen = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter('always')
        try:
            exec(compile(textwrap.dedent(code), '<code>', 'exec'), names)
        except Exception as error:
            return _answer(error, folder)
    mine = [warning.message for warning in seen if isinstance(
        warning.message, (UserWarning, RuntimeWarning))
        and not isinstance(warning.message, DeprecationWarning)]
    return _answer(mine[0], folder) if mine else Answer(None, '')


def _answer(said, folder):
    text = '\n'.join([str(said), *getattr(said, '__notes__', ())])
    text = text.replace(folder, 'folder').strip()
    types = tuple([base.__name__ for base in type(said).__mro__[:-2]])
    return Answer(types[0], text, types)
