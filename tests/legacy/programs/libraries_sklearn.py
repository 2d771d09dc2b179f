# Chainer 3.5, Python 3.6
"""Cross-validation as scikit-learn 0.19 had it, and plots of matplotlib 2."""
import matplotlib
matplotlib.use('Agg', warn=False)  # removed: matplotlib.use(warn=)
import matplotlib.pyplot as plt
import numpy as np
from sklearn import cross_validation  # removed: sklearn.cross_validation
from sklearn.datasets import load_digits
from sklearn.externals import joblib  # removed: sklearn.externals.joblib
from sklearn.preprocessing import Imputer, OneHotEncoder  # removed: sklearn.preprocessing.Imputer
from sklearn.utils.linear_assignment_ import linear_assignment  # removed: sklearn.utils.linear_assignment_

import chainer
import chainer.functions as F
import chainer.links as L

digits = load_digits()
x = (digits.data / 16).astype(np.float32)
t = digits.target.astype(np.int32)
x_train, x_test, t_train, t_test = cross_validation.train_test_split(
    x, t, test_size=300, random_state=0)
print(x_train.shape, t_test[:8].tolist())
np.random.seed(6)
model = L.Classifier(L.Linear(64, 10))
optimizer = chainer.optimizers.Adam(0.01)
optimizer.setup(model)
for train, test in cross_validation.KFold(len(t_train), n_folds=3, shuffle=True, random_state=1):
    for i in range(0, len(train), 100):
        index = train[i:i + 100]
        optimizer.update(model, x_train[index], t_train[index])
    print('%.5f' % model(x_train[test], t_train[test]).data)
print(len(cross_validation.KFold(9, 3)), joblib.cpu_count() > 0)
print(OneHotEncoder(sparse=False).fit_transform([[0], [2]]).tolist())  # removed: sklearn.preprocessing.OneHotEncoder(sparse=)
print(Imputer(strategy='mean').fit_transform([[1.0], [np.nan], [3.0]]).ravel().tolist())
print(linear_assignment(np.array([[4, 1, 3], [2, 0, 5], [3, 2, 2]])).tolist())
plt.hold(True)  # removed: matplotlib.pyplot.hold
print(['%.4f' % n for n in plt.hist([1, 2, 2, 3], bins=2, normed=True)[0]])  # removed: matplotlib.pyplot.hist(normed=)
plt.style.use('seaborn')  # removed: matplotlib.style.use of seaborn
print(plt.cm.get_cmap('jet').name)  # removed: matplotlib.cm.get_cmap
