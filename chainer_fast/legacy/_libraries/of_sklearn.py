"""Modules and names that scikit-learn has removed."""
import functools
import os
import types
from typing import Any

import numpy

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import callers, modules, names
from chainer_fast.legacy._python.arrivals import when_imported


class _Folds:
    """Splits of a number of examples, as an iterable."""

    def __init__(self, splitter, n):
        self._splitter = splitter
        self._n = n

    def __iter__(self):
        return self._splitter.split(numpy.zeros(self._n))

    def __len__(self):
        return self._splitter.get_n_splits(numpy.zeros(self._n))


def _cross_validation():
    """Return the module whose classes accepted examples, not a number of folds."""
    from sklearn import model_selection

    # These two drew at construction: all loops over them yield the same folds.
    def KFold(n, n_folds=3, shuffle=False, random_state=None):
        splitter = model_selection.KFold(
            n_folds, shuffle=shuffle, random_state=random_state if shuffle else None)
        return list(splitter.split(numpy.zeros(n)))

    def StratifiedKFold(y, n_folds=3, shuffle=False, random_state=None):
        splitter = model_selection.StratifiedKFold(
            n_folds, shuffle=shuffle, random_state=random_state if shuffle else None)
        return list(splitter.split(numpy.zeros(len(y)), y))

    def ShuffleSplit(n, n_iter=10, test_size=0.1, train_size=None, random_state=None):
        return _Folds(model_selection.ShuffleSplit(
            n_iter, test_size=test_size, train_size=train_size,
            random_state=random_state), n)

    def LeaveOneOut(n):
        return _Folds(model_selection.LeaveOneOut(), n)

    module = types.ModuleType('sklearn.cross_validation')
    vars(module).update(
        {name: getattr(model_selection, name) for name in model_selection.__all__
         if not name.startswith(('Halving', '_'))},
        KFold=KFold, StratifiedKFold=StratifiedKFold, ShuffleSplit=ShuffleSplit,
        LeaveOneOut=LeaveOneOut)
    return module


def _linear_assignment_():
    from scipy.optimize import linear_sum_assignment

    def linear_assignment(X):
        return numpy.stack(linear_sum_assignment(X), 1)
    module = types.ModuleType('sklearn.utils.linear_assignment_')
    vars(module)['linear_assignment'] = linear_assignment
    return module


def _discriminant(name, long_name):
    from sklearn import discriminant_analysis
    module = types.ModuleType('sklearn.' + name.lower())
    setattr(module, name, getattr(discriminant_analysis, long_name))
    return module


def _Imputer(missing_values='NaN', strategy='mean', axis=0, verbose=0, copy=True):
    from sklearn.impute import SimpleImputer
    if axis:
        raise ValueError('SimpleImputer works along columns only: write axis=0, or '
                         'transpose the array')
    if missing_values == 'NaN':
        missing_values = numpy.nan
    return SimpleImputer(missing_values=missing_values, strategy=strategy, copy=copy)


def _refuse(name, why, instead):
    def function(*args, **kwargs):
        raise RuntimeError('sklearn.datasets.%s: %s; %s' % (name, why, instead))
    function.__name__ = name
    return function


_no_mldata = _refuse(
    'fetch_mldata', 'mldata.org is gone',
    "write sklearn.datasets.fetch_openml('mnist_784', as_frame=False), whose data and "
    'target are those of MNIST original in another order')
_load_boston = _refuse(
    'load_boston', 'its data was withdrawn',
    'write sklearn.datasets.fetch_california_housing()')

def _fetch_mldata(dataname, target_name='label', data_name='data',
                  transpose_data=True, data_home=None):
    """Return a data set from a file that was once loaded from mldata.org."""
    from scipy import io
    from sklearn import datasets, utils
    file = ''.join(letter for letter in dataname.lower().replace(' ', '-')
                   if letter not in '().')
    path = os.path.join(
        datasets.get_data_home(data_home=data_home), 'mldata', file + '.mat')
    if not os.path.exists(path):
        _no_mldata()
    found = io.loadmat(path, struct_as_record=True)
    columns = [str(column[0])
               for column in found.get('mldata_descr_ordering', [[]])[0]]
    # A column is specified by its name in the file, or by its position.
    own = {today: name if isinstance(name, str) else columns[name]
           for today, name in (('target', target_name), ('data', data_name))
           if not isinstance(name, str) or name in found}
    if not columns:
        columns = [name for name in found if not name.startswith('__')]
    if 'data' not in own and columns:
        own['data'] = next(name for name in columns if name != own.get('target'))
    result: dict[str, Any] = {
        'DESCR': 'mldata.org dataset: %s' % dataname, 'COL_NAMES': columns}
    for today, name in own.items():
        result[today] = found[name]
    result.update({name: found[name] for name in columns
                   if name in found and name not in own.values()})
    if 'target' in result:
        result['target'] = result['target'].squeeze()
    if transpose_data and 'data' in result:
        result['data'] = result['data'].T
    return utils.Bunch(**result)


_SPECIAL = {
    'sklearn.datasets': {'fetch_mldata': lambda: _fetch_mldata,
                         'load_boston': lambda: _load_boston},
    'sklearn.preprocessing': {'Imputer': lambda: _Imputer},
    'sklearn.decomposition': {},
    'sklearn.mixture': {},
}
_MODULES = {
    'sklearn.cross_validation': _cross_validation,
    'sklearn.grid_search': None,
    'sklearn.learning_curve': None,
    'sklearn.lda': functools.partial(
        _discriminant, 'LDA', 'LinearDiscriminantAnalysis'),
    'sklearn.qda': functools.partial(
        _discriminant, 'QDA', 'QuadraticDiscriminantAnalysis'),
    'sklearn.externals.joblib': None,
    'sklearn.externals.six': None,
    'sklearn.utils.linear_assignment_': _linear_assignment_,
    'sklearn.utils.testing': None,
}


def _with_squared(mean_squared_error):
    @functools.wraps(mean_squared_error)
    def call(*args, squared=True, **kwargs):
        if not squared:
            _report.adapted('sklearn.metrics.mean_squared_error(squared=)')
        error = mean_squared_error(*args, **kwargs)
        return error if squared else numpy.sqrt(error)
    return call


def _with_sparse(init):
    @functools.wraps(init)
    def call(self, *args, **kwargs):
        if 'sparse' in kwargs:
            kwargs['sparse_output'] = kwargs.pop('sparse')
            _report.adapted('sklearn.preprocessing.OneHotEncoder(sparse=)')
        init(self, *args, **kwargs)
    return call


def _provide(patches, special, module):
    names.provide(patches, module, 'libraries', special)
    if module.__name__ == 'sklearn.preprocessing':
        patches.set(module.OneHotEncoder, '__init__',
                    _with_sparse(module.OneHotEncoder.__init__))


def _of_metrics(patches, module):
    patches.set(module, 'mean_squared_error', _with_squared(module.mean_squared_error))


def _of_text(patches, module):
    if not hasattr(module.CountVectorizer, 'get_feature_names'):
        names.set_counted(
            patches, module.CountVectorizer, 'get_feature_names',
            module.__name__ + '.CountVectorizer.get_feature_names',
            lambda self: list(self.get_feature_names_out()))


def _has_no_fitted_attributes(step):
    """Return whether a class of the program sets no fitted attributes."""
    return not (callers.is_of_today(type(step).__module__)
                or hasattr(step, '__sklearn_is_fitted__')
                or any(name.endswith('_') and not name.startswith('__')
                       for name in vars(step)))


def _of_pipeline(patches, module):
    today = vars(module.Pipeline).get('__sklearn_is_fitted__')
    if today is None:       # before scikit-learn 1.0
        return

    @functools.wraps(today)
    def is_fitted(self):
        last = next((step for _, step in reversed(self.steps)
                     if step is not None and step != 'passthrough'), None)
        if last is None or not _has_no_fitted_attributes(last):
            return today(self)
        _report.adapted('sklearn.pipeline.Pipeline of a step without fitted attributes')
        return True
    patches.set(module.Pipeline, '__sklearn_is_fitted__', is_fitted)


def install(patches):
    modules.provide(patches, {name: (make, name) for name, make in _MODULES.items()})
    for name, special in _SPECIAL.items():
        when_imported(patches, name, functools.partial(_provide, patches, special))
    when_imported(patches, 'sklearn.pipeline',
                  functools.partial(_of_pipeline, patches))
    when_imported(patches, 'sklearn.metrics', functools.partial(_of_metrics, patches))
    when_imported(patches, 'sklearn.feature_extraction.text',
                  functools.partial(_of_text, patches))
