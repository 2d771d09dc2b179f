"""What is found in lines of code, and what is not."""
import inspect
import textwrap

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast._help.command.check import analysis

HEAD = '''\
import collections
import fractions
import inspect
import numpy as np
import chainer
import chainer.functions as F
from chainer import links as L, optimizers, training
from chainer import cuda
from chainer.training import extensions
'''


def found(code, head=HEAD, **options):
    """Return the entries and lines found below the imports."""
    text = head + textwrap.dedent(code)
    above = head.count('\n')
    return [(finding.line - above, finding.what)
            for finding in analysis.findings(text, **options)]


def entries(code, **options):
    return [what for _, what in found(code, **options)]


@pytest.mark.parametrize('code, what', [
    ('F.Linear(3, 2)', 'chainer.functions.Linear'),
    ('chainer.functions.Linear(3, 2)', 'chainer.functions.Linear'),
    ('from chainer.functions import Linear', 'chainer.functions.Linear'),
    ('f = F\nf.Linear', 'chainer.functions.Linear'),
    ('x = chainer.FunctionSet', 'chainer.FunctionSet'),
    ('F.dropout(x, train=False)', 'chainer.functions.dropout(train=)'),
    ('F.dropout(x, .5, False)', 'chainer.functions.dropout(train=)'),
    ('F.noise.dropout.dropout(x, train=False)', 'chainer.functions.dropout(train=)'),
    ('chainer.Variable(x, volatile=True)', 'chainer.Variable(volatile=)'),
    ('chainer.Variable(x, True)', 'chainer.Variable(volatile=)'),
    ('optimizers.Adam().zero_grads()', 'chainer.Optimizer.zero_grads'),
    ('def f(o):\n    o.zero_grads()', 'chainer.Optimizer.zero_grads'),
    ('L.Linear(3, 2, wscale=2)', 'chainer.links.Linear(wscale=)'),
    ('L.Linear(3, 2, 1.4)', 'chainer.links.Linear(wscale=)'),
    ('L.Convolution2D(3, 2, 3, 1, 0, np.sqrt(2))',
     'chainer.links.Convolution2D(wscale=)'),
    ('L.BatchNormalization(3)(x, test=True)',
     'chainer.links.BatchNormalization.__call__(test=)'),
    ('cuda.cupy.float', 'cupy.float'),
    ('xp = cuda.get_array_module(x)\nxp.float', 'numpy.float'),
    ('self.xp.float', 'numpy.float'),
    ('np.float(3)', 'numpy.float'),
    ('collections.Iterable', 'collections.Iterable'),
    ('inspect.getargspec(f)', 'inspect.getargspec'),
    ('fractions.gcd(2, 3)', 'fractions.gcd'),
    ('for i in xrange(3): pass', 'builtins.xrange'),
    ('{}.iteritems()', 'dict.iteritems'),
    ('import yaml\nyaml.load(f)', 'yaml.load without Loader'),
    ('np.array([[1], [2, 3]])', 'numpy.array of ragged rows'),
    ('np.array([1]).tostring()', 'numpy.ndarray.tostring'),
    ("import chainermn\nchainermn.create_communicator('hierarchical')",
     "chainermn.create_communicator('hierarchical')"),
    ('import onnx_chainer\nonnx_chainer.export(m, x, return_flat_inout=True)',
     'onnx_chainer.export(return_flat_inout=)'),
    ('trainer = training.Trainer(u)\ntrainer.extend(e, invoke_before_training=True)',
     'chainer.training.Trainer.extend(invoke_before_training=)'),
    ('extensions.snapshot(trigger=(1, "epoch"))',
     'chainer.training.extensions.snapshot(trigger=)'),
    ('np.zeros((3, 4))[[np.array([0, 2]), np.array([1, 3])]]',
     'list of arrays, lists or slices as an index'),
    ('x[[[0, 1], [1, 2]]]', 'list of arrays, lists or slices as an index'),
    ('def f(x):\n    i = [slice(None)] * 3\n    i[1] = 0\n    return x[i]',
     'list of arrays, lists or slices as an index'),
    ('import pickle\npickle.load(open("q.pkl"))', 'pickle in a file of text'),
    ('import pickle\nwith open("q", "w") as f:\n    pickle.dump(x, f)',
     'pickle in a file of text'),
    ('import six.moves.cPickle as P\nf = open("q", mode="rt")\nP.load(file=f)',
     'pickle in a file of text'),
    ('import pandas as pd\ndf = pd.read_csv("a").dropna()\ndf = df.append(x)',
     'pandas.DataFrame.append'),
    ('import pandas\ndef f(x):\n    return x.append(x)', 'pandas.DataFrame.append'),
    ('import pandas\nx.append(x, ignore_index=True)', 'pandas.DataFrame.append'),
    ('import pandas as pd\ndf = pd.DataFrame()\ndf = df.head()\ndf.ix[3]',
     'pandas.DataFrame.ix'),
    ('import pandas as pd\npd.Series(x).order()', 'pandas.Series.order'),
    ('import pandas as pd\npd.rolling_mean(x, 3)', 'pandas.rolling_mean'),
    ('class U(training.StandardUpdater):\n    def update_core(self):\n'
     '        return self.device >= 0',
     'devices as numbers'),
    ('class E(extensions.Evaluator):\n    def evaluate(self):\n'
     '        return -1 < self.device',
     'devices as numbers'),
    ('u = training.updaters.StandardUpdater(i, o)\nu.device == -1',
     'devices as numbers'),
    # Without an entry: the installed package tells.
    ('F.no_such_function(x)', 'chainer.functions.no_such_function'),
    ('import chainer.no_such_module', 'chainer.no_such_module'),
    ('F.relu(x, slope=3)', 'chainer.functions.relu(slope=)'),
    ('F.exp(x, 3)', 'chainer.functions.exp with 2 arguments'),
    ('L.Linear(3, 2)(x, mode=3)', 'chainer.links.Linear.__call__(mode=)'),
    ('np.no_such_name', 'numpy.no_such_name'),
])
def test_found(code, what):
    assert entries(code) == [what]


@pytest.mark.parametrize('code', [
    'x[[0, 1]]', 'x[:, [1, 2]]', "d[['a', 'b']]",
    '{}[[1], [2]]', 'x[tuple([[1], [2]])]',
    'import pickle\npickle.load(open("q", "rb"))\npickle.loads(x)',
    'import gzip, pickle\npickle.load(gzip.open("q"))',
    'import pickle\ndef f(file):\n    pickle.load(file)',
    'x = y.append(3)', 'import pandas\nx.append(3)',
    'class U(training.StandardUpdater):\n    def __init__(self, device):\n'
    '        self.device = device\n    def f(self):\n        return self.device >= 0',
    'class U(training.StandardUpdater):\n    def f(self):\n'
    '        return self.device is None',
    'def converter(batch, device):\n    return device >= 0',
])
def test_habits_that_are_right(code):
    assert entries(code) == []


@pytest.mark.parametrize('code, instead', [
    ('F.cross_entropy(x, t)', "no such name; did you mean 'softmax_cross_entropy'"),
    ('F.reluu(x)', "no such name; did you mean 'relu'"),
    ('L.Conv2d(3, 2, 3)', "did you mean 'Convolution2D'"),
    ('optimizers.Adam(lr=0.1)', 'write alpha='),
    ('optimizers.Adam(learning_rate=0.1)', 'write alpha='),
    ('optimizers.SGD(alpha=0.1)', 'write lr='),
    ('optimizers.SGD(learning_rate=0.1)', 'write lr='),
    ('L.ConvolutionND(2, 3, 2, 3, bias=False)', 'write nobias=, which is the opposite'),
    ('L.Linear(3, 2)(x, mode=3)', 'it takes x, n_batch_axes'),
])
def test_advice_on_what_never_was_there(code, instead):
    finding, = analysis.findings(HEAD + code)
    assert instead in finding.instead
    assert 'leave' not in finding.instead and not finding.last


@pytest.mark.parametrize('name', sorted(
    name for name, value in vars(chainer.optimizers).items()
    if isinstance(value, type) and issubclass(value, chainer.GradientMethod)))
def test_no_rate_of_an_optimizer_is_left_out(name):
    taken = inspect.signature(getattr(chainer.optimizers, name)).parameters
    for argument in {'lr', 'alpha', 'learning_rate'} - set(taken):
        finding, = analysis.findings('%soptimizers.%s(%s=0.1)' % (HEAD, name, argument))
        rates = [rate for rate in ('lr', 'alpha') if rate in taken]
        assert any(finding.instead == 'write %s=' % rate for rate in rates) or (
            not rates and finding.instead.startswith(('it takes', 'did you')))


def test_too_many_arguments_for_matplotlib():
    pytest.importorskip('matplotlib')
    head = 'import matplotlib.pyplot as plt\n'
    assert [finding.what for finding in analysis.findings(
        head + 'plt.Polygon(xy, True)\nplt.Polygon(xy, closed=True)\n'
        'plt.subplots(2, 2, True)\nplt.plot(x, y, "r", x)')] == [
            'matplotlib.pyplot.Polygon with 2 arguments',
            'matplotlib.pyplot.subplots with 3 arguments']


def test_one_argument_tells_of_the_others():
    assert entries('L.Convolution2D(3, 4, 3, 1, 0, 1.4, 2)') == [
        'chainer.links.Convolution2D(bias=)', 'chainer.links.Convolution2D(wscale=)']


@pytest.mark.parametrize('code', [
    'import six\nif isinstance(s, unicode) and six.PY2:\n    pass',
    'import six\na = six.PY2, unicode',
    "version = '2.0'\nif version < '2.0':\n    unicode",
    'import six\na = unicode if s else six.PY2',
])
def test_what_a_version_does_not_guard(code):
    assert entries(code) == ['builtins.unicode']


def test_star_import():
    assert found('y = Linear(3, 2)', 'from chainer.functions import *\n') == [
        (1, 'chainer.functions.Linear')]


@pytest.mark.parametrize('code', [
    # A method of the program's own may have any argument.
    'def f(model, x):\n    return model(x, train=False, test=True)',
    '''
    class M(chainer.Chain):
        def forward(self, x, train=True, volatile=False):
            return x
    M()(1, train=False)
    ''',
    '''
    class M(L.Linear):
        def __init__(self, size, wscale=1):
            super().__init__(size)
    M(3, wscale=2)
    ''',
    '''
    class O(optimizers.Adam):
        def zero_grads(self):
            pass
    O().zero_grads()
    ''',
    # Numbers by position that are valid today
    'L.Convolution2D(1, 1, 3, 1, 0, 1, W, 0)',
    'L.Convolution2D(1, 1, 3, 1, 0, False, 0.5)', 'L.Linear(3, 2, 0, 0.5)',
    'L.Maxout(3, 2, 2, 0.5)', 'L.MLPConvolution2D(3, (4, 2), 3, 1, 0, F.sigmoid)',
    *(['np.bool', 'x.astype(np.bool)', 'np.long'] if np.lib.NumpyVersion(
        np.__version__) >= '2.0.0' else []),
    # Programs that know of it
    'try:\n    g = fractions.gcd\nexcept AttributeError:\n    import math',
    'try:\n    from collections import Iterable\n'
    'except ImportError:\n    from collections.abc import Iterable',
    'import sys\nif sys.version_info[0] == 2:\n    xrange(3)',
    "if hasattr(np, 'float'):\n    np.float",
    'import six\nif six.PY2 and isinstance(s, unicode):\n    s = s.encode()',
    'import six\nkinds = (str, unicode) if six.PY2 else str',
    "version = chainer.__version__\ndef f(x, train):\n    if version < '2.0':\n"
    '        return F.dropout(x, train=train)\n    return F.dropout(x)',
    'import sys\nis_old = sys.version_info[0] == 2\nif is_old:\n    xrange(3)',
    'import pytest\nwith pytest.raises(TypeError):\n    F.dropout(x, train=False)',
    'np.float  # chainer-fast: ignore',
    'np.float = float\nnp.float(3)',
    'from numpy import *\nfloat(3)',
    'np.float  # chainer-fast: ignore[numpy.float]',
    # Others have methods and attributes of these names.
    'def f(dtype):\n    return dtype.newbyteorder()',
    'class A:\n    def f(self):\n        self._children.append(3)\n'
    '        return self._params[0]',
    # What the program sets, hides or cannot be known
    'chainer.my_name = 3',
    'def f(chainer):\n    return chainer.no_such_name',
    'def f(F):\n    return F.Linear',
    'chainer.config.my_entry',
    'def f():\n    np = object()\n    return np.float',
    'm = L.ResNet50Layers()\nm = L.Linear(3, 2)\nm.extract(x, test=True)',
    'F.dropout(x, **options)',
    'F.relu(*arguments)',
    'L.Linear(3, 2, True)',
    'chainer.global_config.train',
    "getattr(np, 'float')",
    'import chainerx\nchainerx.array',
    'from .chainer import no_such_name',
    'x = iter([])\ny = train_iter.next()',
    'raw_input = input\nraw_input()',
    'F.split_axis(x, 2, 1)\nL.GRU(2, 3)\nL.LSTM(2, 3)',
])
def test_not_found(code):
    assert entries(code) == []


def test_ignore_of_another_entry():
    assert entries('np.float  # chainer-fast: ignore[numpy.int]') == ['numpy.float']


def test_links_of_a_class():
    assert found('''
        class M(chainer.Chain):
            def __init__(self):
                super().__init__(a=L.BatchNormalization(3))
                self.add_link('b', L.BatchNormalization(3))
                with self.init_scope():
                    self.c = L.BatchNormalization(3)

            def forward(self, x):
                x = self.a(x, test=True)
                x = self.b(x, test=True)
                return self.c(x, test=True)
        ''') == [(line, 'chainer.links.BatchNormalization.__call__(test=)')
                 for line in (10, 11, 12)]


def test_members_of_a_subclass():
    assert found('''
        class E(training.Extension):
            invoke_before_training = True
        ''') == [(3, 'chainer.training.Extension.invoke_before_training')]


def test_meanings_of_a_version():
    code = ('F.split_axis(x, 2, 1)\nL.GRU(2, 3)\nL.LSTM(2, 3)\n'
            'L.ConvolutionND(2, 3, 3, 3)')
    assert entries(code, written_for=['v2']) == []
    assert entries(code, written_for=['v1']) == [
        'chainer.functions.split_axis without force_tuple',
        'chainer.links.GRU with n_units first',
        'chainer.links.LSTM with a forget bias of 0',
        'chainer.links.ConvolutionND without a bias']


def test_columns_count_characters():
    finding, = analysis.findings("import numpy\ns = 'äöü', numpy.float\n")
    assert (finding.column, finding.end_column) == (11, 22)


def test_python2():
    found_lines = sorted((finding.line, finding.what) for finding in analysis.findings(
        'import numpy\n\ndef f(a, (b, c)):\n    print a, b / 2\n\n'
        'for i in xrange(len([1]) / 2):\n    print `i`, 010, numpy.float\n'))
    assert found_lines == [
        (3, 'tuple parameter'), (4, 'division that may be of whole numbers'),
        (4, 'print statement'), (6, 'builtins.xrange'),
        (6, 'division of whole numbers'), (7, 'backticks'), (7, 'numpy.float'),
        (7, 'octal 0755'), (7, 'print statement')]


WHOLE, PERHAPS = (
    'division of whole numbers', 'division that may be of whole numbers')


@pytest.mark.parametrize('code, what', [
    ('n = 3\njump = a.shape[0] / n', [WHOLE]),
    ('def f(n):\n    return a.shape[0] / n', [PERHAPS]),
    ('def f(n):\n    n /= 2\n    return n', [PERHAPS]),
    ('class A:\n    size = 2.5\n    def f(self):\n        return self.size / 2',
     [PERHAPS]),
    ('def f(n):\n    return n / 2.0, float(n) / 2, n / np.sqrt(2), 1e-3 * n / 2', []),
    ('loss = F.softmax_cross_entropy(x, t)\nloss / 3', []),
    ('x = 0.5\nx / 2, math.pi / 2, -x / 2, (x if y else 2.0) / 3', []),
    ('import math\nmath.floor(2.5) / 2, math.log(2) / 2', [PERHAPS]),
    ('a // b', []),
])
def test_divisions(code, what):
    head = HEAD + 'import math\n'
    assert [found for _, found in found_in(code, head)] == what
    assert [found for _, found in found_in(
        code, 'from __future__ import division\n' + head)] == []
    assert entries(code, head=head) == []


def found_in(code, head):
    return found(code, head, written_for=['python'])


@pytest.mark.parametrize('text', ['print "a" b', 'def f(:\n', 'x = "\0"'])
def test_neither_python(text):
    with pytest.raises(SyntaxError):
        analysis.findings(text)
