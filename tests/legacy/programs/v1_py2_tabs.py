# Chainer 1.24, Python 2.7, --legacy=v1,python
"""Lines begin with tabs or with spaces, as two authors liked it."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers

np.random.seed(6)
TEXT = """first
	second
 	third"""


class Net(chainer.Chain):
	def __init__(self):
		super(Net, self).__init__(l1=L.Linear(4, 3), l2=L.Linear(3, 2))

 	def __call__(self, x, deep=True):  # removed: indentation by tabs and spaces
        	if deep:
			h = F.relu(self.l1(x))
 		else:
			h = self.l1(x)
        	return self.l2(h)


x = np.random.rand(12, 4).astype(np.float32)
t = np.arange(12, dtype=np.int32) % 2
model = L.Classifier(Net())
optimizer = optimizers.Adam()
optimizer.setup(model)
for epoch in range(3):
	for i in range(0, 12, 4):
                model.zerograds()
		loss = model(chainer.Variable(x[i:i + 4]), chainer.Variable(t[i:i + 4]))
                loss.backward()
                optimizer.update()
        print('epoch %d loss %.6f' % (epoch, float(loss.data)))
print(repr(TEXT))
