"""Arguments that are swapped or of another kind, and what was forgotten."""
from tests._help.mistakes.case import Case

_FUNCTION = '''
class Square(chainer.FunctionNode):
    def forward(self, inputs):
        return inputs[0] ** 2,
    def backward(self, indexes, grad_outputs):
        y, = self.get_retained_%s()
        return 2 * y * grad_outputs[0],
y, = Square().apply((chainer.Variable(x),))
F.sum(y).backward()
'''
_NET = '''
class Net(MLP):
    def forward(self, x):
        %s
'''
_BATCHES = '''
data = chainer.datasets.TupleDataset(x, t)
batches = chainer.iterators.SerialIterator(data, 2, repeat=False)
endless = chainer.iterators.SerialIterator(data, 2)
'''
_EXTENSION = '''
class Broken(training.Extension):
    trigger = 1, 'iteration'
    def %s:
        raise ValueError('wrong')
    %s
train(Broken(), out=folder)
'''
_WHAT, _OBSCURE, _SILENT = [
    (grade, 'silent', 'cure') for grade in ('what', 'obscure', 'silent')]
_NOT_TRAINED = ('Classifier', 'received a gradient')

CASES = (
    Case('a regression with the accuracy of classes',
         'L.Classifier(L.Linear(3, 1), lossfun=F.mean_squared_error)('
         'x, np.zeros((2, 1), np.float32))',
         ('Classifier', 'loss is computed', 'compute_accuracy = False'), _OBSCURE,
         None, 'InvalidType'),
    Case('several labels of each example with the accuracy of classes',
         'L.Classifier(L.Linear(3, 2), lossfun=F.sigmoid_cross_entropy)('
         'x, np.zeros((2, 2), np.int32))',
         ('Classifier', 'accfun', 'binary_accuracy'), _OBSCURE, None, 'InvalidType'),
    Case('floating labels of a sigmoid',
         'F.sigmoid_cross_entropy(x, x)',
         ('t float32', 'Convert t: t.astype(numpy.int32)'), _WHAT),
    Case('targets of a regression of integers',
         'F.mean_squared_error(x, np.zeros((2, 3), np.int32))',
         ('int32', 'x1.astype(numpy.float32)'), _WHAT),
    Case('floating labels of a hinge',
         'F.hinge(x, t.astype(np.float32))',
         ('t float32', 't.astype(numpy.int32)'), _WHAT),
    Case('floating labels of a negative sampling',
         '''
         F.negative_sampling(
             x, t.astype(np.float32), x, lambda shape: np.zeros(shape, np.int32), 2)
         ''',
         ('t float32', 't.astype(numpy.int32)'), _WHAT),
    Case('a predictor without return',
         _NET % 'self.l1(x)' + 'L.Classifier(Net())(x, t)',
         ('predictor returned None', 'Net.forward()', 'return'), _OBSCURE),
    Case('a layer of a network without return',
         _NET % 'self.l1(x)' + 'chainer.Sequential(Net(), L.Linear(4, 3))(x)',
         ('None', 'return'), _OBSCURE),
    Case('a predictor that returns an array',
         _NET % 'return super().forward(x).array'
         + 'train(module=L.Classifier(Net()), out=folder)',
         (*_NOT_TRAINED, 'y.array has no graph'), _SILENT),
    Case('a loss without backpropagation',
         '''
         optimizer.setup(model)
         with chainer.no_backprop_mode():
             loss = model(x, t)
         loss.backward()
         optimizer.update()
         ''',
         (*_NOT_TRAINED, 'no_backprop_mode()'), _SILENT),
    Case('an update without backpropagation',
         '''
         optimizer.setup(model)
         with chainer.no_backprop_mode():
             optimizer.update(model, x, t)
         ''',
         (*_NOT_TRAINED, 'switched off', 'no_backprop_mode()'), _SILENT),
    Case('a backward pass before the gradients are cleared',
         '''
         optimizer.setup(model)
         model(x, t).backward()
         optimizer.update()
         ''',
         ('Classifier', 'NaN', 'model.cleargrads() before'), _SILENT),
    Case('an update without a backward pass',
         '''
         optimizer.setup(model)
         model(x, t)
         optimizer.update()
         ''',
         (*_NOT_TRAINED, 'loss.backward()'), _SILENT),
    Case('examples that are dictionaries',
         'train(examples=chainer.datasets.DictDataset(x=x, t=t), out=folder)',
         ('Label key -1', 'x, t', "label_key='t'"), _WHAT),
    Case('arguments of a trainer that are swapped',
         "training.Trainer((1, 'epoch'), None)",
         ('updater of a trainer', "(1, 'epoch')", 'Trainer(StandardUpdater('),
         _OBSCURE),
    Case('a model for a trainer',
         "training.Trainer(model, (1, 'epoch'))",
         ('updater of a trainer', 'Classifier', 'StandardUpdater(iterator'), _OBSCURE),
    Case('unit and number of a trigger that are swapped',
         "training.triggers.IntervalTrigger('epoch', 20)",
         ('20', "(20, 'epoch')"), _WHAT),
    Case('arguments of an updater that are swapped',
         _BATCHES + '''
updater = training.StandardUpdater(optimizer.setup(model), endless)
training.Trainer(updater, (1, 'epoch'))
''',
         ('optimizer of an updater', 'SerialIterator', 'StandardUpdater(iterator'),
         _OBSCURE),
    Case('a model in the place of an optimizer',
         _BATCHES + 'training.StandardUpdater(endless, model).update()',
         ('optimizer of an updater', 'Classifier', 'optimizer.setup(model)'), _OBSCURE),
    Case('a data set in the place of an iterator',
         _BATCHES + 'optimizer.setup(model)\n'
         'training.StandardUpdater(data, optimizer).update()',
         ('an iterator must be', 'TupleDataset', 'SerialIterator('), _OBSCURE, None,
         'WrongKind'),
    Case('a device in the place of a converter',
         _BATCHES + 'optimizer.setup(model)\n'
         'training.StandardUpdater(endless, optimizer, 0).update()',
         ('converter', '0', 'device=0'), _OBSCURE),
    Case('arguments of an Evaluator that are swapped',
         _BATCHES + 'extensions.Evaluator(model, batches)()',
         ('target of an Evaluator', 'SerialIterator', 'Evaluator(iterator, model)'),
         _OBSCURE),
    Case('a data set for an Evaluator',
         _BATCHES + 'extensions.Evaluator(data, model)()',
         ('TupleDataset', 'SerialIterator(dataset', 'repeat=False'), _OBSCURE, None,
         'ValueError'),
    Case('a class for an Evaluator',
         _BATCHES + 'extensions.Evaluator(batches, MLP)()',
         ('target of an Evaluator', 'link'), _OBSCURE),
    Case('a list for a ChainList',
         'chainer.ChainList([L.Linear(3, 4), L.Linear(4, 3)])',
         ('ChainList', 'ChainList(*links)'), _OBSCURE),
    Case('a list for a Sequential',
         'chainer.Sequential([L.Linear(3, 4), L.Linear(4, 3)])',
         ('callable', 'Sequential(*layers)'), _WHAT),
    Case('batches of no examples',
         'chainer.iterators.SerialIterator(x, 0)',
         ('batch_size is 0', 'SerialIterator', 'number of examples'), _SILENT),
    Case('batches of a number with a fraction',
         'chainer.iterators.SerialIterator(x, 8 / 2).next()',
         ('batch_size', '4.0', 'n // 2'), _WHAT),
    Case('a data set without examples',
         'train(examples=[], out=folder)',
         ('SerialIterator', 'list', 'empty', 'from which files'), _OBSCURE),
    Case('a data set without examples, read in threads',
         'chainer.iterators.MultithreadIterator([], 2).next()',
         ('no examples', 'empty', 'from which files'), _OBSCURE),
    Case('a part of a data set as a fraction',
         'chainer.datasets.split_dataset(x, 0.8)',
         ('split_at', 'float', 'int(0.8 * len(dataset))'), _WHAT),
    Case('inputs that were not retained',
         _FUNCTION % 'inputs',
         ('Square.backward()', 'self.retain_inputs((0,))'), _OBSCURE),
    Case('outputs that were not retained',
         _FUNCTION % 'outputs',
         ('Square.backward()', 'self.retain_outputs((0,))'), _OBSCURE),
    Case('an extension that fails',
         _EXTENSION % ('__call__(self, trainer)', ''),
         ('wrong', 'In the extension: Broken'), ('what', 'silent', 'clear')),
    Case('an extension that fails at the start',
         _EXTENSION % ('initialize(self, trainer)', ''),
         ('wrong', 'In the extension: Broken'), ('what', 'silent', 'clear')),
    Case('an extension that fails at the end',
         _EXTENSION % ('finalize(self)', 'def __call__(self, trainer): pass'),
         ('wrong', 'In the extension: Broken'), ('what', 'silent', 'clear')),
    Case('an extension that has no parameter for the trainer',
         '''
         def extension():
             pass
         train(extension, out=folder)
         ''',
         ('In the extension: extension', '1 was given'), ('what', 'silent', 'clear')),
    Case('a class for an extension',
         'train(extensions.LogReport, out=folder)',
         ('In the extension: LogReport', 'LogReport()'), _OBSCURE),
)
