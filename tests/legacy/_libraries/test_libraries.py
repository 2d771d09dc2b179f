"""Libraries of the time: what the programs do not cover."""
import numpy as np
import pytest
import yaml

from chainer_fast import legacy
from chainer_fast.legacy._libraries import images


@pytest.fixture(autouse=True)
def libraries_of_old():
    legacy.enable('libraries')
    yield
    legacy.disable()


def test_bytescale():
    bytes_ = np.arange(3, dtype=np.uint8)
    assert images.bytescale(bytes_) is bytes_
    assert images.bytescale(np.array([0.0, 1.0, 2.0])).tolist() == [0, 128, 255]
    assert images.bytescale(np.array([1, 2, 3]), cmin=0, cmax=4).tolist() == [
        64, 128, 191]
    assert images.bytescale(np.array([0.0, 9.0]), high=200, low=100).tolist() == [
        100, 200]
    assert images.bytescale(np.full(2, 5.0)).tolist() == [0, 0]
    with pytest.raises(ValueError, match='in order'):
        images.bytescale(np.zeros(2), high=300)
    with pytest.raises(ValueError, match='larger'):
        images.bytescale(np.zeros(2), cmin=2, cmax=1)


@pytest.mark.parametrize('shape, kwargs, mode, size', [
    ((4, 6), {}, 'L', (6, 4)),
    ((4, 6), {'mode': 'F'}, 'F', (6, 4)),
    ((4, 6), {'mode': 'I'}, 'I', (6, 4)),
    ((4, 6), {'mode': '1'}, '1', (6, 4)),
    ((4, 6, 3), {}, 'RGB', (6, 4)),
    ((4, 6), {'mode': 'P'}, 'P', (6, 4)),
    ((5, 6, 4), {}, 'RGBA', (6, 5)),
    ((4, 6, 4), {}, 'RGBA', (4, 6)),
    ((3, 4, 6), {}, 'RGB', (6, 4)),
    ((3, 4, 3), {'channel_axis': 2}, 'RGB', (4, 3)),
])
def test_toimage(shape, kwargs, mode, size):
    array = np.arange(np.prod(shape), dtype=float).reshape(shape)
    image = images.toimage(array, **kwargs)
    assert (image.mode, image.size) == (mode, size)


@pytest.mark.parametrize('array', [
    np.zeros(3), np.zeros((2, 5, 6)), np.zeros((2, 2), complex)])
def test_no_pictures(array):
    with pytest.raises(ValueError, match='picture'):
        images.toimage(array)


class Own:
    """An estimator of the program's own, as scikit-learn 0.17 took it."""

    def __init__(self, k=1):
        self.k = k

    def get_params(self, deep=True):
        return {'k': self.k}

    def set_params(self, k):
        self.k = k
        return self

    def fit(self, x, y):
        self.mean = np.mean(y)
        return self

    def predict(self, x):
        return np.full(len(x), self.mean)

    def score(self, x, y):
        return -np.abs(self.predict(x) - y).mean()


class Fitted(Own):

    def fit(self, x, y):
        self.mean_ = self.mean = np.mean(y)
        return self


# What scikit-learn 1.7, the last one for Python 3.10, says of the first class.
@pytest.mark.filterwarnings('ignore:.*__sklearn_tags__:DeprecationWarning')
def test_pipeline_of_an_own_estimator(used):
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import StandardScaler
    x, y = np.arange(8.0).reshape(4, 2), np.arange(4.0)
    for bases in (Own,), (Own, BaseEstimator):
        steps = make_pipeline(StandardScaler(), type('Model', bases, {})())
        steps.fit(x, y)
        assert steps.predict(x).tolist() == [1.5] * 4 and steps.score(x, y) == -1
        assert cross_val_score(steps, x, y, cv=2).tolist() == [-2, -2]
    assert used().keys() == {
        'sklearn.pipeline.Pipeline of a step without fitted attributes'}
    with pytest.raises(NotFittedError):
        Pipeline([('a', LinearRegression())]).predict(x)


def test_filters_of_pillow(used):
    from PIL import Image, ImageOps
    picture = Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4))
    nearest = np.asarray(picture.resize((2, 2), Image.NEAREST)).tolist()
    assert not used()
    assert np.asarray(picture.resize((2, 2))).tolist() == nearest
    assert np.asarray(ImageOps.fit(picture, (2, 2))).tolist() == nearest
    cubic = np.asarray(picture.resize((2, 2), Image.BICUBIC)).tolist()
    of_today = {'__name__': 'matplotlib.image', 'picture': picture, 'np': np}
    assert eval('np.asarray(picture.resize((2, 2))).tolist()', of_today) == cubic
    legacy.disable()
    legacy.enable()         # not named
    assert np.asarray(picture.resize((2, 2))).tolist() == cubic
    assert np.asarray(ImageOps.fit(picture, (2, 2))).tolist() == cubic


@pytest.mark.parametrize('size, expected', [
    (50, (2, 3)), (0.5, (2, 3)), ((8, 2), (8, 2)), (200, (8, 12)), (2.0, (8, 12))])
def test_imresize(size, expected):
    assert images.imresize(np.zeros((4, 6, 3)), size).shape == (*expected, 3)


def test_fromimage():
    from PIL import Image
    palette = Image.fromarray(np.arange(6, dtype=np.uint8).reshape(2, 3)).convert('P')
    assert images.fromimage(palette).shape == (2, 3, 3)
    assert images.fromimage(palette, flatten=True).dtype == np.float32
    assert images.fromimage(palette, mode='L').shape == (2, 3)
    assert images.fromimage(Image.new('1', (3, 2))).dtype == np.uint8


@pytest.mark.parametrize('name, word', [
    ('fetch_mldata', 'fetch_openml'), ('load_boston', 'fetch_california_housing')])
def test_data_that_is_gone(load, used, name, word):
    module = load('from sklearn.datasets import %s as get' % name)
    with pytest.raises(RuntimeError, match=word):
        module.get('MNIST original')


def test_folds(load):
    module = load('''
from sklearn.cross_validation import KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold
from sklearn.grid_search import GridSearchCV
from sklearn.learning_curve import learning_curve
''')
    y = np.array([0, 0, 0, 1, 1, 1])
    folds = module.StratifiedKFold(y, 3)
    assert len(folds) == 3
    assert all(y[test].tolist() == [0, 1] for _, test in folds)
    assert len(list(module.KFold(7))) == 3
    assert len(module.LeaveOneOut(4)) == 4
    splits = list(module.ShuffleSplit(10, n_iter=2, test_size=0.3, random_state=0))
    assert [len(test) for _, test in splits] == [3, 3]


@pytest.mark.parametrize('folds', ['KFold(6, 3, True)', 'StratifiedKFold(y, 3, True)'])
def test_folds_are_drawn_once(load, folds):
    module = load('from sklearn.cross_validation import KFold, StratifiedKFold\n'
                  'y = [0, 0, 0, 1, 1, 1]\nfolds = %s\n' % folds)
    first, second = ([test.tolist() for _, test in module.folds] for _ in range(2))
    assert first == second and len(module.folds) == 3


def test_imputer(load):
    module = load('from sklearn.preprocessing import Imputer')
    imputer = module.Imputer(missing_values=0, strategy='median')
    assert imputer.fit_transform([[1], [0], [3]]).ravel().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match='axis=0'):
        module.Imputer(axis=1)


def test_metrics_and_text(load, used):
    module = load('''
from sklearn.metrics import mean_squared_error
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import OneHotEncoder
errors = [mean_squared_error([0, 2], [0, 0], **squared)
          for squared in ({}, {'squared': False})]
counts = CountVectorizer().fit(['a bc', 'bc de'])
names = counts.get_feature_names()
params = OneHotEncoder(sparse=False).get_params()
''')
    assert module.errors == [2.0, np.sqrt(2.0)]
    assert module.names == ['bc', 'de']
    assert module.params['sparse_output'] is False
    assert len(used()) == 3


def test_scipy(load):
    module = load('''
import scipy.stats, scipy.special, scipy.integrate
means = scipy.stats.nanmean([[1.0, 2.0], [3.0, float('nan')]])
medians = scipy.stats.nanmedian([[1.0, 2.0], [3.0, 5.0]])
deviations = scipy.stats.nanstd([[1.0, 2.0], [3.0, 4.0]])
p = scipy.stats.chisqprob(3.84, 1)
pair = scipy.stats.binom_test([3, 7]), scipy.stats.binom_test(3, 10)
''')
    assert module.means.tolist() == [2, 2] and module.medians.tolist() == [2, 3.5]
    np.testing.assert_allclose(module.deviations, [np.sqrt(2)] * 2)
    np.testing.assert_allclose(module.p, 0.05, atol=1e-4)
    assert module.pair[0] == module.pair[1]


def test_pictures(load, used):
    module = load('''
import matplotlib
matplotlib.use('Agg', warn=False)
import matplotlib.pyplot as plt
from matplotlib import cm
from PIL import Image, ImageDraw, ImageFont
figure = plt.figure()
first = figure.gca(projection='3d')
same = figure.gca(projection='3d') is first
counts = first.hold(False), plt.ishold(), figure.add_subplot().hist([1, 2], normed=1)[0]
colours = cm.spectral.name, plt.spectral()
plt.close(figure)
image = Image.fromstring('L', (2, 1), b'ab')
data = image.tostring()
draw = ImageDraw.Draw(Image.new('L', (40, 20)))
sizes = draw.textsize('ab'), ImageFont.load_default().getsize('ab')
''')
    assert module.first.name == '3d' and module.same
    assert module.counts[:2] == (None, True)
    np.testing.assert_allclose(module.counts[2].sum() * 0.1, 1)
    assert module.colours[0] == 'nipy_spectral'
    assert module.data == b'ab'
    assert module.sizes[0] == module.sizes[1] and min(module.sizes[0]) > 3
    assert len(used()) == 11


def test_hdf5_modes(load, tmp_path, used):
    module = load('import h5py\ndef open_(*args, **kwargs):\n'
                  '    return h5py.File(*args, **kwargs)\n')
    path = str(tmp_path / 'a.h5')
    with module.open_(path) as f:
        f['x'] = [1, 2]
        assert f.mode == 'r+'
    with module.open_(path) as f:
        f['y'] = 3
    assert used() == {'h5py.File without mode': 2}
    with module.open_(path, 'r') as f, module.open_(path, mode='r') as g:
        assert sorted(f) == sorted(g) == ['x', 'y']
        assert f['y'].value == 3
    assert used()['h5py.File without mode'] == 2
    with open(path, 'rb') as file, module.open_(file) as f:
        assert f.mode == 'r'


def test_yaml(load):
    module = load('import yaml\ndef read(*args, **kwargs):\n'
                  '    return yaml.load(*args, **kwargs)\n')
    assert module.read('{a: [1, 2]}') == {'a': [1, 2]}
    assert module.read('a', Loader=yaml.SafeLoader) == 'a'
    # Objects of any class would be code from a file.
    with pytest.raises(yaml.YAMLError):
        module.read('!!python/object/apply:os.getcwd []')
    of_today = {'__name__': 'sklearn.x', 'yaml': yaml}
    with pytest.raises(TypeError):
        eval('yaml.load("a")', of_today)


@pytest.mark.parametrize('call', [
    'minimize(f, x0)', "minimize(f, x0=x0, method='L-BFGS-B')",
    "minimize(f, x0.tolist(), (), 'Nelder-Mead')", 'basinhopping(f, x0, 1)'])
def test_scipy_minimizes_from_a_start_of_several_axes(call, load, used):
    module = load('''
import numpy as np
from scipy.optimize import basinhopping, minimize

x0 = np.array([[1., 2.], [3., .5]])

def f(x):
    assert x.shape == (4,)
    return float(((x - 1) ** 2).sum())

found = %s.x
flat = minimize(f, x0.ravel()).x
''' % call)
    np.testing.assert_allclose(module.found, np.ones(4), atol=1e-3)
    assert module.flat.shape == (4,)
    assert used() == {'minimizing from a start of several axes': 1}
