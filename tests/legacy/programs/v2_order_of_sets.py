# Chainer 2.0, Python 2.7, --legacy=v2,python,numpy
"""A model whose parameters are drawn in a loop: its links have the order of a set."""
import numpy as np

import chainer
import chainer.links as L


class Model(chainer.Chain):

    def __init__(self):
        super(Model, self).__init__()
        with self.init_scope():
            for name in 'embed l1_x l1_h l2_h l2_x l3 out bn gate zeta'.split():
                setattr(self, name, L.Linear(3, 2))
        self.add_link('norm', L.LayerNormalization(2))
        for param in self.params():  # removed: order of parameters in a set
            param.data[...] = np.random.uniform(-0.1, 0.1, param.data.shape)


np.random.seed(0)
model = Model()
print([name for name, _ in model.namedparams()])  # removed: order of parameters in a set
print([name for name, _ in model.namedlinks()])  # removed: order of parameters in a set
print('%.5f %.5f' % (model.embed.W.data.sum(), model.norm.gamma.data.sum()))
print([link.name for link in chainer.Chain(
    proj=L.Linear(2, 2), conv=L.Linear(2, 2), lateral=L.Linear(2, 2),
    upward=L.Linear(2, 2), alpha=L.Linear(2, 2)).children()])  # removed: order of parameters in a set
print([name for name, _ in L.NStepLSTM(1, 2, 2, 0.).namedparams()])  # removed: order of parameters in a set
print([name for name, _ in L.InceptionBN(2, 2, 2, 2, 2, 2, 'max', 2).namedlinks()])  # removed: order of parameters in a set; chainer.links.BatchNormalization with a running variance from 0
print([name for name, _ in L.StatefulPeepholeLSTM(2, 2).namedparams()])  # removed: order of parameters in a set
