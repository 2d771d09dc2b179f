"""Optimization algorithms."""
# Gradient descent without and with momentum, then rules with rates for each element.
from chainer_fast.optimizers.sgd import SGD as SGD  # isort: skip
from chainer_fast.optimizers.momentum_sgd import (
    MomentumSGD as MomentumSGD,
)  # isort: skip
from chainer_fast.optimizers.corrected_momentum_sgd import (
    CorrectedMomentumSGD as CorrectedMomentumSGD,
)
from chainer_fast.optimizers.nesterov_ag import NesterovAG as NesterovAG  # isort: skip
from chainer_fast.optimizers.msvag import MSVAG as MSVAG  # isort: skip
from chainer_fast.optimizers.adam import (
    AdaBound as AdaBound,
    Adam as Adam,
    AdamW as AdamW,
    AMSBound as AMSBound,
    AMSGrad as AMSGrad,
)
from chainer_fast.optimizers.rmsprop import RMSprop as RMSprop  # isort: skip
from chainer_fast.optimizers.rmsprop_graves import (
    RMSpropGraves as RMSpropGraves,
)  # isort: skip
from chainer_fast.optimizers.smorms3 import SMORMS3 as SMORMS3  # isort: skip
from chainer_fast.optimizers.ada_grad import AdaGrad as AdaGrad  # isort: skip
from chainer_fast.optimizers.ada_delta import AdaDelta as AdaDelta  # isort: skip
