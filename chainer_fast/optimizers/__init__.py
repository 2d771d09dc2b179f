"""Optimization algorithms."""
# Plain gradient descent and its momentum, then rules with a rate for each element.
from chainer_fast.optimizers.sgd import SGD  # isort: skip
from chainer_fast.optimizers.momentum_sgd import MomentumSGD  # isort: skip
from chainer_fast.optimizers.corrected_momentum_sgd import (  # isort: skip
    CorrectedMomentumSGD,
)
from chainer_fast.optimizers.nesterov_ag import NesterovAG  # isort: skip
from chainer_fast.optimizers.msvag import MSVAG  # isort: skip
from chainer_fast.optimizers.adam import (  # isort: skip
    AdaBound, Adam, AdamW, AMSBound, AMSGrad)
from chainer_fast.optimizers.rmsprop import RMSprop  # isort: skip
from chainer_fast.optimizers.rmsprop_graves import RMSpropGraves  # isort: skip
from chainer_fast.optimizers.smorms3 import SMORMS3  # isort: skip
from chainer_fast.optimizers.ada_grad import AdaGrad  # isort: skip
from chainer_fast.optimizers.ada_delta import AdaDelta  # isort: skip
