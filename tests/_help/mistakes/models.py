"""Links and their arguments."""
from tests._help.mistakes.case import Case

CASES = (
    Case("PyTorch's name of an argument of a link",
         'L.Convolution2D(3, 4, 3, padding=1)',
         ('Convolution2D', 'padding', 'pad'),
         ('what', 'what', 'cure'),
         'nn.Conv2d(3, 4, 3, pad=1)'),
    Case('a mistyped argument of a link',
         'L.Linear(3, 2, nobais=True)',
         ('Linear', 'nobais', 'nobias'),
         ('what', 'what', 'cure'),
         'nn.Linear(3, 2, bais=False)'),
    Case("PyTorch's name of an argument of a function",
         'F.max_pooling_2d(image, 2, padding=1)',
         ('max_pooling_2d', 'padding'),
         ('what', 'what', 'what'),
         'F.max_pool2d(image, 2, pad=1)'),
    Case('a mistyped argument of a function',
         'F.dropout(x, ration=0.5)',
         ('dropout', 'ration', 'ratio'),
         ('what', 'what', 'cure'),
         'F.dropout(x, pp=0.5)'),
    Case('an argument of earlier versions',
         'F.dropout(x, train=False)',
         ('train', 'using_config'),
         ('cure', 'what', 'cure'),
         'F.dropout(x, train=False)'),
    Case('a mistyped argument of a variable',
         "chainer.Variable(x, nmae='x')",
         ('Variable', 'nmae', 'name'),
         ('what', 'what', 'cure'),
         "nn.Parameter(x, nmae='x')"),
    Case('a link without super().__init__()',
         '''
         class Net(chainer.Chain):
             def __init__(self):
                 with self.init_scope():
                     self.l1 = L.Linear(3, 2)
         Net()
         ''',
         ('Link.__init__() has not been called',),
         ('clear', 'clear', 'clear'),
         '''
         class Net(nn.Module):
             def __init__(self):
                 self.l1 = nn.Linear(3, 2)
         Net()
         '''),
    Case('a link without forward()',
         '''
         class Net(chainer.Chain):
             pass
         Net()(x)
         ''',
         ('Net', 'forward'),
         ('what', 'clear', 'clear'),
         '''
         class Net(nn.Module):
             pass
         Net()(x)
         '''),
    Case('too few arguments of a model',
         'model.predictor()',
         ('MLP', "'x'"),
         ('what', 'what', 'what'),
         'model()'),
    Case('a model without its labels',
         'model(x)',
         ('Classifier.predictor', 'label_key=-1', 'inputs and labels'),
         ('obscure', 'what', 'cure'),
         'F.cross_entropy(model(x))'),
    Case('an error in forward()',
         '''
         class Net(chainer.Chain):
             def forward(self, x):
                 return x.no_such_method()
         chainer.Sequential(F.relu, Net())(x)
         ''',
         ('Sequential[1]', 'Net', 'no_such_method'),
         ('what', 'what', 'clear'),
         '''
         class Net(nn.Module):
             def forward(self, x):
                 return x.no_such_method()
         nn.Sequential(nn.ReLU(), Net())(x)
         '''),
    Case('two children of one name',
         '''
         chain = chainer.Chain(l1=L.Linear(3, 2))
         chain.add_link('l1', L.Linear(3, 2))
         ''',
         ('l1', 'exists'),
         ('clear', 'clear', 'clear'),
         "nn.Sequential().add_module('training', nn.Linear(3, 2))"),
    Case('a class among the layers',
         'chainer.Sequential(L.Linear(3, 4), L.Linear)(x)',
         ('Sequential[1]', 'the class Linear', 'Linear(...)'),
         ('obscure', 'clear', 'cure'),
         'nn.Sequential(nn.Linear(3, 4), nn.Linear)'),
    Case('parameters of another model in a file',
         '''
         chainer.serializers.save_npz(folder + '/model.npz', model)
         chainer.serializers.load_npz(folder + '/model.npz', MLP())
         ''',
         ('l1/W', 'predictor/l1/W'),
         ('what', 'clear', 'cure'),
         '''
         model.load_state_dict(nn.Linear(3, 2).state_dict())
         '''),
    Case('parameters of another shape in a file',
         '''
         chainer.serializers.save_npz(folder + '/model.npz', L.Linear(3, 2))
         chainer.serializers.load_npz(folder + '/model.npz', L.Linear(3, 4))
         ''',
         ('W', '(2, 3)', '(4, 3)'),
         ('obscure', 'clear', 'clear'),
         'nn.Linear(3, 4).load_state_dict(nn.Linear(3, 2).state_dict())'),
    Case('a call of a ChainList',
         'chainer.ChainList(L.Linear(3, 4), L.Linear(4, 3))(x)',
         ("'forward'", 'ChainList', 'subclass', 'Sequential'),
         ('what', 'what', 'cure'),
         'nn.ModuleList([nn.Linear(3, 4), nn.Linear(4, 3)])(x)'),
    Case('a mistyped name of forward()',
         '''
         class Net(chainer.Chain):
             def fowrard(self, x):
                 return x
         Net()(x)
         ''',
         ("'forward'", "'fowrard'", 'probably meant'),
         ('what', 'what', 'cure'),
         '''
         class Net(nn.Module):
             def fowrard(self, x):
                 return x
         Net()(x)
         '''),
    Case('a name for the loss of a Classifier',
         "L.Classifier(MLP(), lossfun='mean_squared_error')(x, t)",
         ('lossfun', "'mean_squared_error'", 'functions.mean_squared_error'),
         ('obscure', 'silent', 'cure')),
)
