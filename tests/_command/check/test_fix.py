"""What is rewritten, to the character, and what is left alone."""
import textwrap

import pytest

from chainer_fast._command.check import fix

HEAD = '''\
import numpy as np
import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers
'''


def fixed(code, head=HEAD, **options):
    text = head + textwrap.dedent(code)
    new = fix.fixed(text, lambda finding: True, **options)
    assert fix.fixed(new, lambda finding: True, **options) == new
    return new


def below(new, head=HEAD):
    assert new.startswith(head)
    return new[len(head):]


@pytest.mark.parametrize('old, new', [
    ('np.float(3)', 'float(3)'),
    ('np . product( x )  # why', 'np.prod( x )  # why'),
    ('xp = chainer.cuda.get_array_module(x)\nxp.product(x)',
     'xp = chainer.cuda.get_array_module(x)\nxp.prod(x)'),
    ('np.PINF, -np.NINF', 'np.inf, --np.inf'),
    ('np.in1d(a, b, invert=True)', 'np.isin(np.ravel(a), b, invert=True)'),
    ('np.asscalar(x + 1)', '(x + 1).item()'),
    ('np.array([1]).tostring()', 'np.array([1]).tobytes()'),
    ('np.array([[1], [2, 3]])', 'np.array([[1], [2, 3]], dtype=object)'),
    ('np.stack(x for x in y)', 'np.stack(list(x for x in y))'),
    ('a = np.zeros(3).ptp(axis=0)', 'a = np.ptp(np.zeros(3), axis=0)'),
    ('L.Linear(3, 2, wscale=1)', 'L.Linear(3, 2)'),
    ('L.Linear(\n    3,\n    2,\n    bias=0.5,  # start\n)',
     'L.Linear(\n    3,\n    2,\n    initial_bias=0.5,  # start\n)'),
    ('F.relu(x, use_cudnn=True)', 'F.relu(x)'),
    ('y = F.relu(x, use_cudnn=False)',
     "with chainer.using_config('use_cudnn', 'never'):\n    y = F.relu(x)"),
    ('y = F.dropout(x, train=False)',
     "with chainer.using_config('train', False):\n    y = F.dropout(x)"),
    ('y = F.dropout(x, .5, not test)',
     "with chainer.using_config('train', not test):\n    y = F.dropout(x, .5)"),
    ('y = L.BatchNormalization(3)(x, test=not train)',
     "with chainer.using_config('train', train):\n    y = L.BatchNormalization(3)(x)"),
    ('chainer.Variable(x, volatile=False)', 'chainer.Variable(x)'),
    ("chainer.Variable(x, volatile='off')", 'chainer.Variable(x)'),
    ('optimizer = optimizers.SGD()\noptimizer.zero_grads()\nloss.backward()',
     'optimizer = optimizers.SGD()\noptimizer.target.cleargrads()\nloss.backward()'),
    ('optimizer = optimizers.SGD()\noptimizer.clip_grads(5)',
     'optimizer = optimizers.SGD()\n'
     'chainer.optimizer_hooks.GradientClipping(5)(optimizer)'),
    ('from chainer import FunctionSet, cuda\nFunctionSet()',
     'from chainer import cuda\nfrom chainer import Chain as FunctionSet\n'
     'FunctionSet()'),
    ('for p in chainer.FunctionSet().parameters: pass',
     'for p in [param.data for param in chainer.Chain().params()]: pass'),
    ('chainer.cuda.zeros(3)', 'chainer.cuda.cupy.zeros(3, dtype=np.float32)'),
    ('chainer.cuda.full((2,), 3)', 'chainer.cuda.cupy.full((2,), 3, dtype=np.float32)'),
    ('chainer.cuda.ones((2,), dtype=int)', 'chainer.cuda.cupy.ones((2,), dtype=int)'),
    ('chainer.cuda.empty((2,), int)', 'chainer.cuda.cupy.empty((2,), int)'),
    ('chainer.cuda.zeros_like(x)', 'chainer.cuda.cupy.zeros_like(x)'),
    ('chainer.cuda.init()', 'chainer.cuda.check_cuda_available()'),
    ('chainer.cuda.init(3)', 'chainer.cuda.get_device_from_id(3).use()'),
    ('if x: np.float(3)', 'if x: float(3)'),
    ('for k, v in d.iteritems(): pass', 'for k, v in d.items(): pass'),
    ('d.has_key(k)', 'k in d'),
    ('for i in xrange(3): pass', 'for i in range(3): pass'),
    ('def f(L):\n    return F.Linear(3, L)',
     'def f(L):\n    return chainer.links.Linear(3, L)'),
    ('y = F.relu(x,  # why\n           use_cudnn=True)',
     'y = F.relu(x,  # why\n           )'),
    ('t.extend(\n    chainer.training.extensions.snapshot(trigger=3),  # why\n)',
     't.extend(\n    chainer.training.extensions.snapshot(),  # why\n'
     '    trigger=3)'),
    ('optimizer = optimizers.SGD()\noptimizer.zero_grads()\nfor x in y:\n'
     '    x.backward()',
     'optimizer = optimizers.SGD()\noptimizer.target.cleargrads()\nfor x in y:\n'
     '    x.backward()'),
    ('s = f"""\n{np.float(3)} é {np.int(3)}"""', 's = f"""\n{float(3)} é {int(3)}"""'),
])
def test_rewritten(old, new):
    assert below(fixed(old + '\n')) == new + '\n'


@pytest.mark.parametrize('code', [
    # The mode would reach a call whose mode is not known.
    'y = f(F.dropout(x, train=train))',
    'y = F.dropout(F.zoneout(x, x), train=train)',
    'y = lambda x: F.dropout(x, train=train)',
    'if F.dropout(x, train=train): pass',
    'y = F.dropout(x, train=is_training())',
    'y = (F.dropout(x, train=train) for x in y)',
    # The flag may be a word.
    'def f(x, v):\n    x = chainer.Variable(x, volatile=v)\n    return F.relu(x)',
    # Nothing is computed from it here.
    'def f(x):\n    return chainer.Variable(x, volatile=True)',
    'x = chainer.Variable(x, volatile=True)\nprint(x.volatile, F.relu(x))',
    'x = chainer.Variable(x, volatile=True)\ny = chainer.Variable(x)\nF.relu(x)',
    # Someone looks at the zeros.
    'optimizer = optimizers.SGD()\noptimizer.zero_grads()\nprint(model.W.grad)',
    'optimizer = optimizers.SGD()\noptimizer.zero_grads()\nprint(model.W.grad)\n'
    'loss.backward()',
    # Without a gradient nothing is updated, and with zeros it is.
    'optimizer = optimizers.Adam()\noptimizer.zero_grads()\nif x:\n'
    '    loss.backward()\noptimizer.update()',
    'optimizer = optimizers.SGD()\noptimizer.zero_grads()\ndef f():\n'
    '    loss.backward()',
    'L.Linear(3, 2, wscale=2, initialW=w)',
    # What is in there may be given twice then.
    'L.Linear(3, 2, wscale=2, **options)', 'optimizer.clip_grads(**options)',
    'np.zeros(3).ptp(**options)', 'np.in1d(*arrays)', 'np.fromstring(string=s)',
    # Without a model there is no mode to ask for.
    'y = x if model is None else F.dropout(x, train=model.train)',
    'def f(math, chainer):\n    return L.Linear(3, 2, wscale=2)',
    'float = 3\nnp.float(float)',
    'model = chainer.FunctionSet()\nmodel.l1 = 3',
    'class M(chainer.FunctionSet):\n    def f(self):\n        self.l1 = 3',
    "model = chainer.FunctionSet()\nsetattr(model, 'l1', 3)",
    # Chains have none.
    'model = chainer.FunctionSet()\nmodel.gradients',
    'model = chainer.FunctionSet()\np = model.collect_parameters()',
    'def f(m):\n    m.gradients\nf(chainer.FunctionSet())',
    # A chain has them in another order.
    'model = chainer.FunctionSet(b=L.Linear(3, 2), a=L.Linear(2, 3))\nmodel.parameters',
    'x = 3\r\nx = np.float(3)\rx = 4',
    'optimizer.weight_decay(0.1)',
    # Without a GPU it is numpy.
    'xp = chainer.cuda if gpu else np\nxp.zeros(3)',
])
def test_left_alone(code):
    assert below(fixed(code + '\n')) == code + '\n'


def test_without_a_graph():
    assert below(fixed('''
        def forward(x, t, train=True):
            # Variables
            x = chainer.Variable(x, volatile=not train)
            t = chainer.Variable(t, volatile=not train)

            h = F.dropout(x, train=train)
            h = F.dropout(h, train=train)
            return F.softmax_cross_entropy(h, t)
        ''')) == textwrap.dedent('''
        def forward(x, t, train=True):
            # Variables
            with chainer.using_config('enable_backprop', train):
                x = chainer.Variable(x)
                t = chainer.Variable(t)

                with chainer.using_config('train', train):
                    h = F.dropout(x)
                    h = F.dropout(h)
                return F.softmax_cross_entropy(h, t)
        ''')


def test_imports_are_added():
    new = fixed('model = chainer.FunctionSet(l=F.Linear(3, 2, wscale=2))\n',
                '"""Says what."""\nimport chainer\n'
                'from chainer import functions as F\n')
    assert new == (
        '"""Says what."""\nimport math\nimport chainer\n'
        'from chainer import functions as F\nimport chainer.links as L\n'
        'model = chainer.Chain(l=L.Linear(3, 2, '
        'initialW=chainer.initializers.LeCunNormal(math.sqrt(2))))\n')


@pytest.mark.parametrize('old, new', [
    ('from collections import Iterable, OrderedDict\n',
     'from collections import OrderedDict\nfrom collections.abc import Iterable\n'),
    ('from numpy import product\n', 'from numpy import prod as product\n'),
    ('from numpy import product  # a\n', 'from numpy import prod as product  # a\n'),
    ('from numpy import (  # why\n    product)\n',
     'from numpy import (  # why\n    product)\n'),
    ('from chainer.functions import relu, Linear as Lin\n',
     'from chainer.functions import relu\nfrom chainer.links import Linear as Lin\n'),
    ('from sklearn.cross_validation import train_test_split\n',
     'from sklearn.model_selection import train_test_split\n'),
    ('from sklearn.cross_validation import KFold\n',
     'from sklearn.cross_validation import KFold\n'),
    ('import cPickle\n', 'import cPickle\n'.replace('cPickle', 'pickle as cPickle')),
    ('import cPickle as pickle\n', 'import pickle\n'),
    ('import yaml\nyaml.load(f)\n', 'import yaml\nyaml.safe_load(f)\n'),
    ('import h5py\nh5py.File(f)\n', "import h5py\nh5py.File(f, 'a')\n"),
    ('import sys\nif x:\n    sys.setdefaultencoding("utf-8")\n',
     'import sys\nif x:\n    pass\n'),
    ('import string\nstring.upper("a")\n', 'import string\nstr.upper("a")\n'),
    ('import time\ntime.clock()\n', 'import time\ntime.perf_counter()\n'),
    ('import fractions\nfractions.gcd(2, 3)\n',
     'import math\nimport fractions\nmath.gcd(2, 3)\n'),
    ('import inspect\ninspect.getargspec(f).args\n',
     'import inspect\ninspect.getfullargspec(f).args\n'),
    ('import inspect\na, b, c, d = inspect.getargspec(f)\n',
     'import inspect\na, b, c, d = inspect.getargspec(f)\n'),
    ('import numpy\nnumpy.histogram(x, normed=True)\n',
     'import numpy\nnumpy.histogram(x, density=True)\n'),
])
def test_other_libraries(old, new):
    assert fixed(old, '') == new


@pytest.mark.parametrize('old, new', [
    ('F.split_axis(x, 2, 1)', 'F.split_axis(x, 2, 1, force_tuple=False)'),
    ('L.GRU(2, 3)', 'L.StatelessGRU(3, 2)'),
    ('L.LSTM(2, 3)', 'L.LSTM(2, 3, forget_bias_init=0)'),
])
def test_meanings_of_version_1(old, new):
    assert below(fixed(old + '\n', written_for=['v1'])) == new + '\n'
    assert below(fixed(old + '\n')) == old + '\n'


@pytest.mark.parametrize('old, new', [
    ('import chainer', 'import chainer_fast as chainer'),
    ('import chainer.links as L', 'import chainer_fast.links as L'),
    ('import chainer.links',
     'import chainer_fast.links\nimport chainer_fast as chainer'),
    ('from chainer import cuda', 'from chainer_fast import cuda'),
    ('from chainer.functions import (\n    relu,  # first\n    tanh)',
     'from chainer_fast.functions import (\n    relu,  # first\n    tanh)'),
    ('import chainermn', 'import chainer_fast.mn as chainermn'),
    ('import onnx_chainer', 'import chainer_fast.onnx as onnx_chainer'),
    ('import numpy, chainer  # both',
     'import numpy\nimport chainer_fast as chainer  # both'),
    ('import chainerx', 'import chainer_fast.chainerx as chainerx'),
    ('import chainercv', 'import chainercv'),
    ('import chainer as c; x = 3', 'import chainer_fast as c; x = 3'),
    ('x = 3; import chainer, os;  # both',
     'x = 3; import chainer_fast as chainer; import os;  # both'),
    ('if x: import chainer', 'if x: import chainer_fast as chainer'),
    ('class A: import chainer as c; x = 3',
     'class A: import chainer_fast as c; x = 3'),
])
def test_imports(old, new):
    text = fix.fixed(old + '\n', lambda finding: True, is_fixed=False, are_imports=True)
    assert text == new + '\n'


def test_fixes_after_imports():
    text = ('import chainer_fast.functions as F\n'
            'm = F.Linear(3, 2)\ny = F.dropout(x, train=False)\n')
    assert fix.fixed(text, lambda finding: True, are_imports=True) == (
        'import chainer_fast.functions as F\nimport chainer_fast.links as L\n'
        'import chainer_fast as chainer\nm = L.Linear(3, 2)\n'
        "with chainer.using_config('train', False):\n    y = F.dropout(x)\n")


def test_only_what_is_wanted():
    text = 'import numpy\nnumpy.float, numpy.int\n'
    assert fix.fixed(text, lambda finding: finding.what == 'numpy.int') == (
        'import numpy\nnumpy.float, int\n')
