"""Names of other libraries that old programs imported."""
from chainer_fast._help.past.removed._tables import below, renamed
from chainer_fast._help.past.removed.entry import Removed

ENTRIES: tuple[Removed, ...] = (
    # scikit-learn
    *renamed('scikit-learn 0.19', 'libraries', {
        'sklearn.cross_validation': 'sklearn.model_selection',
        'sklearn.grid_search': 'sklearn.model_selection',
        'sklearn.learning_curve': 'sklearn.model_selection',
        'sklearn.lda': 'sklearn.discriminant_analysis',
        'sklearn.qda': 'sklearn.discriminant_analysis',
        'sklearn.decomposition.RandomizedPCA': 'sklearn.decomposition.PCA',
        'sklearn.mixture.GMM': 'sklearn.mixture.GaussianMixture',
    }, 'KFold, StratifiedKFold and ShuffleSplit of cross_validation take n or y, and '
       'are iterated over, as they were'),
    *renamed('scikit-learn 0.22', 'libraries', {
        'sklearn.externals.joblib': 'joblib',
        'sklearn.externals.six': 'six',
    }),
    Removed('sklearn.utils.linear_assignment_', 'scikit-learn 0.22',
            'write scipy.optimize.linear_sum_assignment', 'libraries'),
    Removed('sklearn.utils.testing', 'scikit-learn 0.23', 'write numpy.testing',
            'libraries'),
    Removed('sklearn.preprocessing.Imputer', 'scikit-learn 0.21',
            'write sklearn.impute.SimpleImputer', 'libraries'),
    Removed('sklearn.datasets.fetch_mldata', 'scikit-learn 0.21',
            "write sklearn.datasets.fetch_openml('mnist_784', as_frame=False)",
            'libraries', 'reads its earlier file in scikit_learn_data; its server no '
                         'longer exists: without the file, the call raises an error'),
    Removed('sklearn.datasets.load_boston', 'scikit-learn 1.1',
            'write sklearn.datasets.fetch_california_housing', '',
            'the data was withdrawn: the name can be imported, and the call raises an '
            'error'),
    Removed('sklearn.metrics.mean_squared_error(squared=)', 'scikit-learn 1.5',
            'write sklearn.metrics.root_mean_squared_error', 'libraries'),
    Removed('sklearn.preprocessing.OneHotEncoder(sparse=)', 'scikit-learn 1.3',
            'write sparse_output=', 'libraries'),
    Removed('sklearn.feature_extraction.text.CountVectorizer.get_feature_names',
            'scikit-learn 1.1', 'write get_feature_names_out', 'libraries'),
    Removed('sklearn.pipeline.Pipeline of a step without fitted attributes',
            'scikit-learn 1.7', 'set an attribute such as self.fitted_ in fit()',
            'libraries', 'predict, score and similar methods of a step of the program'),
    # Pillow
    Removed('PIL.Image.Image.resize without a filter', 'Pillow 6.2',
            'write resample=Image.NEAREST', 'libraries',
            'only if libraries is named: the nearest pixel, where Pillow 7 takes '
            'BICUBIC'),
    Removed('PIL.ImageOps.fit, pad or scale without a filter', 'Pillow 6.2',
            'write method=Image.NEAREST, or resample= of scale', 'libraries',
            'only if libraries is named'),
    *renamed('Pillow 9.5', 'libraries', below('PIL.Image.', '''
        ANTIALIAS=LANCZOS LINEAR=BILINEAR CUBIC=BICUBIC''')),
    Removed('PIL.ImageDraw.ImageDraw.textsize', 'Pillow 9.5', 'write textbbox',
            'libraries'),
    Removed('PIL.ImageFont.ImageFont.getsize', 'Pillow 9.5', 'write getbbox',
            'libraries', 'FreeTypeFont as well'),
    *renamed('Pillow 2.9', 'libraries', {
        'PIL.Image.fromstring': 'PIL.Image.frombytes',
        'PIL.Image.Image.tostring': 'PIL.Image.Image.tobytes',
    }),
    *renamed('PIL 1.1', 'libraries', {
        'Image': 'PIL.Image', 'ImageDraw': 'PIL.ImageDraw',
        'ImageFont': 'PIL.ImageFont', 'ImageOps': 'PIL.ImageOps'}),
    # matplotlib
    Removed('matplotlib.pyplot.hold', 'matplotlib 2.2', 'leave the line out',
            'libraries', 'does nothing: axes always hold'),
    Removed('matplotlib.pyplot.ishold', 'matplotlib 2.2', 'write True', 'libraries'),
    Removed('matplotlib.axes.Axes.hold', 'matplotlib 2.2', 'leave the line out',
            'libraries'),
    Removed('matplotlib.pyplot.spectral', 'matplotlib 2.1',
            'write matplotlib.pyplot.nipy_spectral', 'libraries'),
    Removed('matplotlib.pyplot.hist(normed=)', 'matplotlib 3.0', 'write density=',
            'libraries'),
    Removed('matplotlib.axes.Axes.hist(normed=)', 'matplotlib 3.0', 'write density=',
            'libraries'),
    Removed('matplotlib.use(warn=)', 'matplotlib 3.2', 'leave warn out', 'libraries'),
    *renamed('matplotlib 3.10', 'libraries', {
        'matplotlib.cm.get_cmap': 'matplotlib.pyplot.get_cmap'}),
    Removed('matplotlib.cm.spectral', 'matplotlib 2.1',
            'write matplotlib.cm.nipy_spectral', 'libraries'),
    Removed('matplotlib.style.use of seaborn', 'matplotlib 3.7',
            "write 'seaborn-v0_8'", 'libraries'),
    Removed('matplotlib.figure.Figure.gca(projection=)', 'matplotlib 3.5',
            "write add_subplot(projection='3d')", 'libraries'),
    # Others
    Removed('yaml.load without Loader', 'PyYAML 5.4', 'write yaml.safe_load',
            'libraries', 'loads as yaml.full_load: objects of any class are refused'),
    Removed('yaml.load_all without Loader', 'PyYAML 5.4', 'write yaml.safe_load_all',
            'libraries', 'loads as yaml.full_load_all'),
    Removed('h5py.Dataset.value', 'h5py 2.10', 'write dataset[()]', 'libraries'),
    Removed('h5py.File without mode', 'h5py 2.10', "write mode='r' or mode='a'",
            'libraries', 'reads and writes, and creates the file, as before'),
    Removed('arguments of matplotlib by position', 'matplotlib 3.7',
            'give them by name', 'libraries', 'in the order of matplotlib 3.1'),
    # pandas
    *(Removed('pandas.%s.%s' % (cls, name), last, instead, 'libraries')
      for cls in ('DataFrame', 'Series')
      for name, last, instead in (
          ('ix', 'pandas 0.25', 'write loc or iloc'),
          ('as_matrix', 'pandas 0.25', 'write to_numpy()'),
          ('get_values', 'pandas 0.25', 'write to_numpy()'),
          ('get_value', 'pandas 0.25', 'write at'),
          ('set_value', 'pandas 0.25', 'write at'),
          ('clip_lower', 'pandas 0.25', 'write clip(lower=...)'),
          ('clip_upper', 'pandas 0.25', 'write clip(upper=...)'),
          ('append', 'pandas 1.5', 'write pandas.concat'),
          ('iteritems', 'pandas 1.5', 'write items()'),
          ('mad', 'pandas 1.5', 'write (x - x.mean()).abs().mean()'),
          ('tshift', 'pandas 1.5', 'write shift'),
          ('sort', 'pandas 0.19', 'write sort_values or sort_index'))),
    *(Removed('pandas.DataFrame.' + name, last, instead, 'libraries')
      for name, last, instead in (
          ('lookup', 'pandas 1.5', 'write at, or index the array'),
          ('irow', 'pandas 0.18', 'write iloc[i]'),
          ('icol', 'pandas 0.18', 'write iloc[:, i]'),
          ('get_dtype_counts', 'pandas 0.25', 'write dtypes.value_counts()'))),
    *(Removed('pandas.Series.' + name, last, instead, 'libraries')
      for name, last, instead in (
          ('order', 'pandas 0.19', 'write sort_values()'),
          ('valid', 'pandas 0.25', 'write dropna()'),
          ('nonzero', 'pandas 0.25', 'write to_numpy().nonzero()'),
          ('ptp', 'pandas 0.25', 'write max() - min()'),
          ('iget', 'pandas 0.18', 'write iloc[i]'),
          ('compress', 'pandas 0.25', 'write series[condition]'))),
    *renamed('pandas 1.5', 'libraries', {
        'pandas.np': 'numpy', 'pandas.datetime': 'datetime.datetime',
        **{'pandas.%sIndex' % kind: 'pandas.Index'
           for kind in ('Int64', 'UInt64', 'Float64')}}),
    *(Removed('pandas.rolling_' + name, 'pandas 0.22',
              'write x.rolling(window).%s()' % name, 'libraries')
      for name in ('mean', 'sum', 'std', 'var', 'min', 'max', 'median', 'count')),
    *(Removed('pandas.' + name, last, instead, '', 'legacy mode leaves it alone')
      for name, last, instead in (
          ('DataFrame.select', 'pandas 0.25', 'write loc'),
          ('DataFrame.from_csv', 'pandas 0.25', 'write pandas.read_csv'),
          ('Panel', 'pandas 0.25', 'write a DataFrame with a MultiIndex'),
          ('ewma', 'pandas 0.22', 'write x.ewm(...).mean()'))),
)
