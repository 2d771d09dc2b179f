"""matplotlib's arguments by position, data sets of mldata, and pandas."""
import numpy as np
import pytest
from scipy import io

from chainer_fast._help.past.removed._matplotlib import BY_POSITION
from chainer_fast.legacy._libraries import of_pandas


@pytest.fixture
def plt():
    matplotlib = pytest.importorskip('matplotlib')
    matplotlib.use('Agg')
    from matplotlib import pyplot
    yield pyplot
    pyplot.close('all')


@pytest.mark.parametrize('text, expected', [
    ('plt.Polygon(XY, False).get_closed()', False),
    ('plt.Polygon(XY, True).get_closed()', True),
    ('patches.Ellipse((0, 0), 1, 2, 30).angle', 30),
    ('patches.Wedge((0, 0), 1, 0, 90, 0.2).width', 0.2),
    ('plt.hist([1, 2, 3], 3, (0, 3))[1].tolist()', [0, 1, 2, 3]),
    ('plt.gca().hist([1, 2, 3], 3, (0, 3))[1].tolist()', [0, 1, 2, 3]),
    ("plt.imshow(XY, 'gray', None, 'auto', 'nearest').get_interpolation()", 'nearest'),
    ("lines.Line2D([0, 1], [0, 1], 3, '--').get_linewidth()", 3),
    ('plt.subplots(1, 2, True)[1].shape', (2,)),
    ("plt.figure(3, (2, 2), 50, 'w').get_facecolor()[:3]", (1, 1, 1)),
    ("len(plt.pie([1, 2], (0, 0.1), ['a', 'b'])[1])", 2),
])
def test_arguments_by_position(enable, load, used, plt, text, expected):
    enable()
    module = load('import numpy as np\nfrom matplotlib import lines, patches\n'
                  'import matplotlib.pyplot as plt\nXY = np.eye(3)[:, :2]\n'
                  'found = %s\n' % text)
    assert module.found == expected
    assert used() == {'arguments of matplotlib by position': 1}


def test_their_errors_are_those_of_today(enable, load, plt):
    enable()
    module = load('import matplotlib.pyplot as plt\n'
                  'def twice(): plt.Polygon([[0, 0]], True, closed=True)\n'
                  'def many(): plt.Polygon([[0, 0]], True, 1)\n')
    for function in module.twice, module.many:
        with pytest.raises(TypeError):
            function()
    assert 'matplotlib.patches.Polygon.__init__' in BY_POSITION


def test_mldata(enable, load, used, tmp_path):
    (tmp_path / 'mldata').mkdir()
    io.savemat(tmp_path / 'mldata' / 'mnist-original.mat', {
        'data': np.arange(12).reshape(4, 3), 'label': np.array([[0., 1., 2.]]),
        'mldata_descr_ordering': np.array([['label', 'data']], object)})
    enable()
    module = load('from sklearn.datasets import fetch_mldata\n'
                  'import sklearn.datasets\ndef get(*args, **kwargs):\n'
                  '    return fetch_mldata(*args, **kwargs)\n')
    found = module.get('MNIST original', data_home=str(tmp_path))
    assert found.data.shape == (3, 4) and found['target'].tolist() == [0, 1, 2]
    assert found.COL_NAMES == ['label', 'data'] and 'MNIST original' in found.DESCR
    assert used()['sklearn.datasets.fetch_mldata'] == 1
    found = module.get('MNIST (original)', transpose_data=False,
                       data_home=str(tmp_path))
    assert found.data.shape == (4, 3)
    with pytest.raises(RuntimeError, match='mldata.org is gone'):
        module.get('other', data_home=str(tmp_path))


PANDAS = '''
import numpy as np
import pandas as pd
d = pd.DataFrame({'a': [1., 2.], 'b': [3., 4.]}, index=['x', 'y'])
s = pd.Series([1, 2, 3])
log = pd.DataFrame(columns=['epoch', 'loss'])
for i in range(3):
    log = log.append({'epoch': i, 'loss': i * .5}, ignore_index=True)
'''


@pytest.mark.parametrize('text, expected', [
    ('log.shape, list(log.columns)', ((3, 2), ['epoch', 'loss'])),
    ('d.append(d).values.tolist()', [[1, 3], [2, 4], [1, 3], [2, 4]]),
    ("d.append(pd.Series({'a': 5.}, name='z')).index.tolist()", ['x', 'y', 'z']),
    ('s.append(pd.Series([4])).tolist()', [1, 2, 3, 4]),
    ('[name for name, _ in d.iteritems()]', ['a', 'b']),
    ('list(s.iteritems())', [(0, 1), (1, 2), (2, 3)]),
    ("d.ix['x', 'a'], d.ix[0, 'b'], d.ix[1, 1], s.ix[1]", (1, 3, 4, 2)),
    ('d.ix[0].tolist(), d.ix[:1].values.tolist()', ([1, 3], [[1, 3]])),
    ('d.as_matrix().tolist()', [[1, 3], [2, 4]]),
    ("d.get_value('x', 'a'), d.mad().tolist(), s.ptp()", (1, [0.5, 0.5], 2)),
    ("d.lookup(['x', 'y'], ['a', 'b']).tolist()", [1, 4]),
    ('pd.rolling_mean(s, 2).tolist()[1:], pd.np is np', ([1.5, 2.5], True)),
])
def test_pandas(enable, load, text, expected):
    pytest.importorskip('pandas')
    enable()
    assert load(PANDAS + 'found = %s\n' % text).found == expected


def test_entries_of_pandas():
    from chainer_fast._help.past import removed
    known = removed.entries()
    assert all('pandas.%s.%s' % (cls, name) in known
               for cls, names in of_pandas.NAMES.items() for name in names)
