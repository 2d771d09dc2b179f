"""Names that SciPy has removed, and arguments that it no longer accepts."""
import functools

import numpy

from chainer_fast.legacy import _report
from chainer_fast.legacy._libraries import images
from chainer_fast.legacy._python import names
from chainer_fast.legacy._python.arrivals import when_imported


def _simps(y, x=None, dx=1.0, axis=-1, even=None):
    from scipy.integrate import simpson
    return simpson(y, x=x, dx=dx, axis=axis)


def _binom_test(x, n=None, p=0.5, alternative='two-sided'):
    from scipy.stats import binomtest
    if numpy.ndim(x) == 1:
        x, n = x[0], x[0] + x[1]
    return binomtest(int(x), int(n), p, alternative).pvalue


def _itemfreq(a):
    return numpy.array(numpy.unique(a, return_counts=True)).T


def _chisqprob(chisq, df):
    from scipy.special import chdtrc
    return chdtrc(df, chisq)


def _sph_harm(m, n, theta, phi):
    from scipy.special import sph_harm_y
    return sph_harm_y(n, m, phi, theta)


def _nanmean(x, axis=0):
    return numpy.nanmean(x, axis=axis)


def _nanmedian(x, axis=0):
    return numpy.nanmedian(x, axis=axis)


def _nanstd(x, axis=0, bias=False):
    return numpy.nanstd(x, axis=axis, ddof=0 if bias else 1)


_SPECIAL = {
    'scipy': (),
    'scipy.misc': (images.imread, images.imsave, images.imresize, images.imrotate,
                   images.imshow, images.toimage, images.fromimage, images.bytescale),
    'scipy.ndimage': (images.imread,),
    'scipy.signal': (),
    'scipy.integrate': (_simps,),
    'scipy.linalg': (),
    'scipy.special': (_sph_harm,),
    'scipy.stats': (_binom_test, _itemfreq, _chisqprob, _nanmean, _nanmedian, _nanstd),
}


def _provide(patches, functions, module):
    names.provide(patches, module, 'libraries', {
        name: lambda function=function: function for function in functions
        if not hasattr(module, name := function.__name__.removeprefix('_'))})


def _from_any_shape(minimize):
    """Wrap a minimization function to accept initial values with several axes."""
    @functools.wraps(minimize)
    def call(fun, x0, *args, **kwargs):
        if numpy.ndim(x0) > 1:
            _report.adapted('minimizing from a start of several axes')
            x0 = numpy.ravel(x0)
        return minimize(fun, x0, *args, **kwargs)
    return call


def _of_optimize(patches, module):
    for name in ('minimize', 'basinhopping'):
        patches.set(module, name, _from_any_shape(getattr(module, name)))


def install(patches):
    for name, functions in _SPECIAL.items():
        when_imported(patches, name, functools.partial(_provide, patches, functions))
    when_imported(patches, 'scipy.optimize', functools.partial(_of_optimize, patches))
