"""Names removed from SciPy."""
from chainer_fast._help.past.removed._tables import below, renamed
from chainer_fast._help.past.removed.entry import Removed

_IMAGES = 'through Pillow, with the meanings of its time'
_WINDOWS = 'barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine ' \
    'flattop gaussian general_gaussian hamming hann kaiser nuttall parzen triang tukey'
_OF_NUMPY = '''array zeros ones exp sin cos tan pi mean std var sum dot
    arange linspace random rand randn where argmax argmin argsort sort absolute interp
    hstack vstack concatenate reshape transpose eye diag asarray inf nan isnan float32
    float64 int32 int64 unique'''

ENTRIES: tuple[Removed, ...] = (
    Removed('scipy.misc.imread', 'SciPy 1.2', 'write numpy.asarray(PIL.Image.open(f))',
            'libraries', _IMAGES),
    Removed('scipy.misc.imsave', 'SciPy 1.2', 'write PIL.Image.fromarray(a).save(f)',
            'libraries', _IMAGES),
    Removed('scipy.misc.imresize', 'SciPy 1.2',
            'write PIL.Image.fromarray(a).resize(s)', 'libraries', _IMAGES),
    Removed('scipy.misc.imrotate', 'SciPy 1.2',
            'write PIL.Image.fromarray(a).rotate(d)', 'libraries', _IMAGES),
    Removed('scipy.misc.toimage', 'SciPy 1.2', 'write PIL.Image.fromarray(a)',
            'libraries', _IMAGES),
    Removed('scipy.misc.fromimage', 'SciPy 1.2', 'write numpy.asarray(image)',
            'libraries', _IMAGES),
    Removed('scipy.misc.bytescale', 'SciPy 1.2', 'scale to 0 to 255 with NumPy',
            'libraries', _IMAGES),
    Removed('scipy.misc.imshow', 'SciPy 1.2', 'write matplotlib.pyplot.imshow',
            'libraries', 'shows it through Pillow'),
    Removed('scipy.misc.imfilter', 'SciPy 1.2', 'write image.filter of Pillow'),
    Removed('scipy.ndimage.imread', 'SciPy 1.2',
            'write numpy.asarray(PIL.Image.open(f))', 'libraries', _IMAGES),
    *renamed('SciPy 1.2', 'libraries', below('scipy.misc.', '''
        comb factorial factorial2 factorialk logsumexp''', 'scipy.special.')),
    *renamed('SciPy 1.2', 'libraries', {'scipy.misc.pade': 'scipy.interpolate.pade'}),
    *(Removed('scipy.misc.' + name, 'SciPy 1.14', 'write scipy.datasets.' + name,
              'libraries', 'needs pooch and, the first time, the network')
      for name in ('ascent', 'face', 'electrocardiogram')),
    Removed('scipy.misc.lena', 'SciPy 0.16', 'write scipy.datasets.face', '',
            'the license of the picture does not allow its distribution'),
    *(Removed('scipy.misc.' + name, 'SciPy 1.14', 'write numdifftools, or jax')
      for name in ('derivative', 'central_diff_weights')),
    *renamed('SciPy 1.11', 'libraries', below('scipy.', _OF_NUMPY, 'numpy.') | below(
        'scipy.', 'sqrt log log2 log10 power arccos arcsin arctanh', 'numpy.emath.') | {
        'scipy.rand': 'numpy.random.rand', 'scipy.randn': 'numpy.random.randn'}),
    *renamed('SciPy 1.12', 'libraries', below(
        'scipy.signal.', _WINDOWS, 'scipy.signal.windows.')),
    *renamed('SciPy 1.8', 'libraries', {
        'scipy.signal.hanning': 'scipy.signal.windows.hann'}),
    *renamed('SciPy 1.13', 'libraries', below('scipy.integrate.', '''
        simps=simpson trapz=trapezoid cumtrapz=cumulative_trapezoid''')),
    *(Removed('scipy.integrate.' + name, 'SciPy 1.14', 'write scipy.integrate.quad')
      for name in ('quadrature', 'romberg')),
    *renamed('SciPy 1.12', 'libraries', below(
        'scipy.linalg.', 'tri tril triu', 'numpy.')),
    *renamed('SciPy 1.16', 'libraries', {'scipy.linalg.kron': 'numpy.kron'}),
    *renamed('SciPy 1.8', 'libraries', {'scipy.linalg.pinv2': 'scipy.linalg.pinv'}),
    Removed('scipy.stats.binom_test', 'SciPy 1.11',
            'write scipy.stats.binomtest(...).pvalue', 'libraries'),
    Removed('scipy.stats.itemfreq', 'SciPy 1.8',
            'write numpy.unique(a, return_counts=True)', 'libraries'),
    Removed('scipy.stats.signaltonoise', 'SciPy 0.19', 'write a.mean() / a.std()'),
    *renamed('SciPy 0.17', 'libraries', below('scipy.stats.', '''
        nanmean nanmedian nanstd''', 'numpy.'),
             'along axis 0 by default; nanstd divided by n - 1, also in legacy mode'),
    *renamed('SciPy 0.18', 'libraries', {
        'scipy.stats.chisqprob': 'scipy.special.chdtrc'}),
    Removed('scipy.special.sph_harm', 'SciPy 1.16', 'write scipy.special.sph_harm_y',
            'libraries', 'the first argument is the order, as before'),
    *(Removed('scipy.special.' + name, 'SciPy 1.16', 'write scipy.special.' + new)
      for name, new in (('lpn', 'legendre_p_all'), ('lpmn', 'assoc_legendre_p_all'),
                        ('clpmn', 'assoc_legendre_p_all'))),
    *(Removed('scipy.signal.' + name, 'SciPy 1.14', 'write pywt')
      for name in ('cwt', 'ricker', 'morlet', 'morlet2', 'daub', 'qmf', 'cascade')),
    Removed('scipy.interpolate.spline', 'SciPy 1.2',
            'write scipy.interpolate.make_interp_spline'),
    Removed('scipy.interpolate.interp2d', 'SciPy 1.13',
            'write scipy.interpolate.RegularGridInterpolator'),
    Removed('minimizing from a start of several axes', 'SciPy 1.10',
            'write x0.ravel()', 'libraries',
            'scipy.optimize.minimize and basinhopping make it flat'),
    Removed('scipy.weave', 'SciPy 0.18', 'write Cython'),
)
