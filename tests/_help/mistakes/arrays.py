"""Arrays of the wrong type or shape, and labels."""
from tests._help.mistakes.case import Case

CASES = (
    Case('an array of float64',
         'model(np.zeros((2, 3)), t)',
         ('Classifier.predictor.l1', 'float64', 'float32', 'astype'),
         ('what', 'clear', 'cure'),
         'model(torch.zeros(2, 3, dtype=torch.float64))'),
    Case('images of float64',
         'L.Convolution2D(3, 4, 3)(np.zeros((2, 3, 8, 8)))',
         ('Convolution2D', 'float64', 'float32', 'astype'),
         ('what', 'clear', 'cure'),
         'nn.Conv2d(3, 4, 3)(torch.zeros(2, 3, 8, 8, dtype=torch.float64))'),
    Case('an array of integers',
         'model(np.zeros((2, 3), np.int64), t)',
         ('Classifier.predictor.l1', 'int64', 'float32', 'astype'),
         ('what', 'clear', 'cure'),
         'model(torch.zeros(2, 3, dtype=torch.int64))'),
    Case('images of bytes',
         'L.Convolution2D(3, 4, 3)(np.zeros((2, 3, 8, 8), np.uint8))',
         ('Convolution2D', 'uint8', 'float32', 'astype'),
         ('what', 'clear', 'cure'),
         'nn.Conv2d(3, 4, 3)(torch.zeros(2, 3, 8, 8, dtype=torch.uint8))'),
    Case('a list for a function',
         'F.relu([1., -1.])',
         ('ReLU', 'list', 'numpy.asarray'),
         ('clear', 'clear', 'cure'),
         'F.relu([1., -1.])'),
    Case('a list for a model',
         'model([[1., 2., 3.]], t[:1])',
         ('Classifier.predictor.l1', 'list', 'numpy.asarray'),
         ('obscure', 'clear', 'cure'),
         'model([[1., 2., 3.]])'),
    Case('a number for a function',
         'F.relu(1.)',
         ('ReLU', 'float', 'numpy.asarray'),
         ('clear', 'clear', 'cure'),
         'F.relu(1.)'),
    Case('a list for a variable',
         'chainer.Variable([1., 2.])',
         ('list', 'numpy.asarray'),
         ('clear', 'obscure', 'cure'),
         'torch.nn.Parameter([1., 2.])'),
    Case('a tensor of PyTorch',
         '''
         Tensor = type('Tensor', (), {'__module__': 'torch'})
         F.relu(Tensor())
         ''',
         ('torch.Tensor', 'chainer_fast.interop.torch.from_torch'),
         ('clear', 'clear', 'cure'),
         '''
         import numpy
         F.relu(numpy.zeros(2))
         '''),
    Case('a tensor of PyTorch for a model',
         '''
         Tensor = type('Tensor', (), {
             '__module__': 'torch', 'shape': (2, 3), 'ndim': 2})
         model(Tensor(), t)
         ''',
         ('Classifier.predictor.l1', 'torch.Tensor', 'from_torch'),
         ('obscure', 'clear', 'cure'),
         '''
         import numpy
         model(numpy.zeros((2, 3)))
         '''),
    Case('a function of NumPy in a model',
         '''
         class Net(chainer.Chain):
             def forward(self, x):
                 return np.log(x)
         chainer.Sequential(F.relu, Net())(x)
         ''',
         ('Sequential[1] (Net)', 'numpy.log', 'chainer.functions.log', 'x.array'),
         ('obscure', 'what', 'cure'),
         '''
         import numpy
         numpy.log(x.requires_grad_())
         '''),
    Case('a function of NumPy elsewhere',
         'np.log(chainer.Variable(x))',
         ('Variable', 'log'),
         ('obscure', 'what', 'obscure'),
         '''
         import numpy
         numpy.log(x.requires_grad_())
         '''),
    Case('rows of the wrong length',
         'model(np.zeros((2, 5), np.float32), t)',
         ('Classifier.predictor.l1', '5', '3', 'in_size'),
         ('what', 'what', 'cure'),
         'model(torch.zeros(2, 5))'),
    Case('a layer that does not fit the one before',
         '''
         net = chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(5, 2))
         net(x)
         ''',
         ('Sequential[2]', '4', '5', 'in_size'),
         ('what', 'what', 'cure'),
         'nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(5, 2))(x)'),
    Case('one image instead of a batch',
         'L.Convolution2D(3, 4, 3)(image[0])',
         ('Convolution2D', '3 != 4', '(3, 8, 8)', 'x[None]'),
         ('what', 'silent', 'cure'),
         'nn.Conv2d(3, 4, 3)(image[0])'),
    Case('images with the channels last',
         'L.Convolution2D(3, 4, 3)(image.transpose(0, 2, 3, 1))',
         ('Convolution2D', '(2, 8, 8, 3)', 'transpose(0, 3, 1, 2)'),
         ('what', 'clear', 'cure'),
         'nn.Conv2d(3, 4, 3)(image.permute(0, 2, 3, 1))'),
    Case('images with too few channels',
         'L.Convolution2D(3, 4, 3)(image[:, :1])',
         ('Convolution2D', '(2, 1, 8, 8)', 'in_channels'),
         ('what', 'clear', 'cure'),
         'nn.Conv2d(3, 4, 3)(image[:, :1])'),
    Case('shapes that cannot be added',
         'chainer.Variable(x) + np.zeros((2, 4), np.float32)',
         ('(2, 3)', '(2, 4)'),
         ('clear', 'what', 'clear'),
         'x + torch.zeros(2, 4)'),
    Case('matrices that cannot be multiplied',
         'F.matmul(x, x)',
         ('a.shape[-1] == b.shape[-2]', '3 != 2'),
         ('clear', 'clear', 'clear'),
         'x @ x'),
    Case('arrays that cannot be concatenated',
         'F.concat([x, np.zeros((3, 4), np.float32)])',
         ('Concat', '2 != 3'),
         ('clear', 'clear', 'clear'),
         'torch.cat([x, torch.zeros(3, 4)], 1)'),
    Case('a shape of the wrong size',
         'F.reshape(x, (4, 2))',
         ('6', '8'),
         ('what', 'clear', 'clear'),
         'x.reshape(4, 2)'),
    Case('a target with an axis less',
         'F.mean_squared_error(x[:, :1], x[:, 0])',
         ('(2, 1)', '(2,)'),
         ('clear', 'clear', 'clear'),
         'F.mse_loss(x[:, :1], x[:, 0])'),
    Case('a variable as a condition',
         '''
         if chainer.Variable(np.array(1.)):
             pass
         ''',
         ('Variables', 'bool', 'array'),
         ('what', 'silent', 'cure'),
         '''
         if x[0, 0]:
             pass
         '''),
    Case('a comparison of variables',
         'chainer.Variable(x) > 0',
         ('>', 'array'),
         ('clear', 'silent', 'cure'),
         'x > 0'),
    Case('an assignment to elements of a variable',
         'chainer.Variable(x)[0, 0] = 1',
         ('Variable', 'item assignment'),
         ('what', 'silent', 'what'),
         'x[0, 0] = 1'),
    Case('arrays for concat that are not in a list',
         'F.concat(x, x)',
         ('axis must be int', 'ndarray', 'F.concat((x, y))'),
         ('what', 'what', 'cure'),
         'torch.cat(x, x)'),
    Case('arrays for stack that are not in a list',
         'F.stack(x, x)',
         ('axis must be int', 'ndarray', 'F.stack((x, y))'),
         ('obscure', 'what', 'cure'),
         'torch.stack(x, x)',
         'TypeError'),
    Case('a list of arrays for a function',
         'F.sum([x, x])',
         ('list', '2 arrays', 'functions.stack(x)'),
         ('what', 'what', 'cure'),
         'torch.sum([x, x])'),
    Case('a variable as an index',
         'chainer.Variable(x)[chainer.Variable(t)]',
         ('variable', 'int32', 'x[index.array]'),
         ('obscure', 'silent', 'cure'),
         'x[t]'),
)
