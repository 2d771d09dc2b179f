# Chainer 1.24, Python 2.7
"""A variational autoencoder of the first versions that had its losses."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L


class VAE(chainer.Chain):

    def __init__(self, n_in, n_latent, n_h):
        super(VAE, self).__init__(
            le1=L.Linear(n_in, n_h, wscale=2, bias=0.1),  # removed: chainer.links.Linear(bias=); chainer.links.Linear(wscale=)
            le2_mu=L.Linear(n_h, n_latent),
            le2_ln_var=L.Linear(n_h, n_latent),
            ld1=L.Linear(n_latent, n_h),
            ld2=L.Linear(n_h, n_in))

    def encode(self, x):
        h1 = F.tanh(self.le1(x), use_cudnn=True)  # removed: chainer.functions.tanh(use_cudnn=)
        return self.le2_mu(h1), self.le2_ln_var(h1)

    def decode(self, z, sigmoid=True):
        h2 = self.ld2(F.tanh(self.ld1(z)))
        return F.sigmoid(h2, False) if sigmoid else h2  # removed: chainer.functions.sigmoid(use_cudnn=)

    def loss(self, x):
        mu, ln_var = self.encode(x)
        z = F.gaussian(mu, ln_var)
        rec = F.bernoulli_nll(x, self.decode(z, sigmoid=False)) / len(x.data)
        kl = F.gaussian_kl_divergence(mu, ln_var) / len(x.data)
        return rec + kl, rec


np.random.seed(8)
data = (np.random.rand(30, 10) > 0.7).astype(np.float32)
model = VAE(10, 3, 7)
optimizer = chainer.optimizers.Adam(alpha=0.01)
optimizer.setup(model)
for epoch in range(4):
    optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
    loss, rec = model.loss(chainer.Variable(data))
    loss.backward()
    optimizer.update()
    print('loss %.6f rec %.6f' % (float(loss.data), float(rec.data)))
x = chainer.Variable(data[:4], volatile='on')  # removed: chainer.Variable(volatile=)
print('rebuilt %.6f' % float(model.decode(model.encode(x)[0]).data.sum()))
