"""The differentiable functions, usually imported as ``F``."""
from chainer_fast.functions.math.arctanh import arctanh
from chainer_fast.functions.math.average import average
from chainer_fast.functions.math.average import average as mean
from chainer_fast.functions.math.basic_math import absolute, add
from chainer_fast.functions.math.batch_l2_norm_squared import batch_l2_norm_squared
from chainer_fast.functions.math.bias import bias
from chainer_fast.functions.math.ceil import ceil
from chainer_fast.functions.math.clip import clip
from chainer_fast.functions.math.cumsum import cumsum
from chainer_fast.functions.math.digamma import digamma
from chainer_fast.functions.math.erf import erf
from chainer_fast.functions.math.erfc import erfc
from chainer_fast.functions.math.erfcinv import erfcinv
from chainer_fast.functions.math.erfcx import erfcx
from chainer_fast.functions.math.erfinv import erfinv
from chainer_fast.functions.math.exponential import exp, log, log2, log10
from chainer_fast.functions.math.exponential_m1 import expm1
from chainer_fast.functions.math.fix import fix
from chainer_fast.functions.math.floor import floor
from chainer_fast.functions.math.fmod import fmod
from chainer_fast.functions.math.hyperbolic import cosh, sinh
from chainer_fast.functions.math.identity import identity
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.functions.math.linear_interpolate import linear_interpolate
from chainer_fast.functions.math.log_ndtr import log_ndtr
from chainer_fast.functions.math.logarithm_1p import log1p
from chainer_fast.functions.math.logsumexp import logsumexp
from chainer_fast.functions.math.matmul import batch_matmul, matmul
from chainer_fast.functions.math.maximum import maximum
from chainer_fast.functions.math.minimum import minimum
from chainer_fast.functions.math.minmax import argmax, argmin, max, min
from chainer_fast.functions.math.ndtr import ndtr
from chainer_fast.functions.math.ndtri import ndtri
from chainer_fast.functions.math.polygamma import polygamma
from chainer_fast.functions.math.prod import prod
from chainer_fast.functions.math.scale import scale
from chainer_fast.functions.math.sign import sign
from chainer_fast.functions.math.sqrt import rsqrt, sqrt
from chainer_fast.functions.math.square import square
from chainer_fast.functions.math.sum import sum, sum_to
from chainer_fast.functions.math.trigonometric import (
    arccos,
    arcsin,
    arctan,
    arctan2,
    cos,
    sin,
    tan,
)
