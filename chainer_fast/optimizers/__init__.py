"""Optimization algorithms."""
from chainer_fast.optimizers.ada_delta import AdaDelta
from chainer_fast.optimizers.ada_grad import AdaGrad
from chainer_fast.optimizers.adam import AdaBound, Adam, AdamW, AMSBound, AMSGrad
from chainer_fast.optimizers.corrected_momentum_sgd import CorrectedMomentumSGD
from chainer_fast.optimizers.momentum_sgd import MomentumSGD
from chainer_fast.optimizers.msvag import MSVAG
from chainer_fast.optimizers.nesterov_ag import NesterovAG
from chainer_fast.optimizers.rmsprop import RMSprop
from chainer_fast.optimizers.rmsprop_graves import RMSpropGraves
from chainer_fast.optimizers.sgd import SGD
from chainer_fast.optimizers.smorms3 import SMORMS3
