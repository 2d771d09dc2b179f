# Chainer 3.5, Python 3.6
"""Pictures through scipy.misc, and other names that SciPy had."""
import os
import tempfile

import numpy as np
import scipy.integrate
import scipy.misc
import scipy.signal
import scipy.special
import scipy.stats
from scipy.misc import imresize, imsave  # removed: scipy.misc.imresize; scipy.misc.imsave

import chainer.functions as F
import chainer.links as L

np.random.seed(5)
y, x = np.mgrid[:24, :32]
picture = np.stack([x * 7, y * 9, x + y], 2).astype(np.uint8)
path = os.path.join(tempfile.mkdtemp(), 'picture.png')
imsave(path, picture)
back = scipy.misc.imread(path)  # removed: scipy.misc.imread
grey = scipy.misc.imread(path, flatten=True)  # removed: scipy.misc.imread
print(back.shape, back.dtype, bool((back == picture).all()), '%.3f' % grey.mean())
small = imresize(back, (12, 16))
print(small.shape, '%.2f' % small.mean(), imresize(back, 50, 'nearest').shape, imresize(back, 0.25).shape)
print('%.2f' % imresize(grey, (6, 8), interp='bicubic', mode='F').mean())
print(scipy.misc.bytescale(np.array([0.0, 0.5, 1.0])).tolist())  # removed: scipy.misc.bytescale
print(scipy.misc.imrotate(back, 90).shape, scipy.misc.toimage(back[..., 0]).size)  # removed: scipy.misc.imrotate; scipy.misc.toimage
print(scipy.misc.fromimage(scipy.misc.toimage(back)).shape)  # removed: scipy.misc.fromimage; scipy.misc.toimage
h = L.Convolution2D(3, 2, 3)(small.transpose(2, 0, 1)[None].astype('f') / 255)
print('%.5f' % F.sum(h ** 2).data)
print('%.6f %d %d' % (scipy.misc.logsumexp([1.0, 2.0]), scipy.misc.comb(5, 2), scipy.misc.factorial(4)))  # removed: scipy.misc.logsumexp; scipy.misc.comb; scipy.misc.factorial
print('%.4f' % scipy.interp(0.25, [0, 1], [2, 4]), scipy.array([1, 2]).tolist())  # removed: scipy.interp; scipy.array
print(['%.4f' % w for w in scipy.signal.hann(4)], '%.4f' % scipy.signal.gaussian(5, 1.0).sum())  # removed: scipy.signal.hann; scipy.signal.gaussian
print(scipy.stats.itemfreq([3, 1, 3]).tolist(), '%.5f' % scipy.stats.binom_test(3, 10))  # removed: scipy.stats.itemfreq; scipy.stats.binom_test
print('%.4f %.4f' % (scipy.integrate.simps([1, 2, 5], [0, 1, 2]), scipy.integrate.trapz([1, 2, 5])))  # removed: scipy.integrate.simps; scipy.integrate.trapz
print('%.5f' % scipy.special.sph_harm(1, 2, 0.3, 0.4).real)  # removed: scipy.special.sph_harm
