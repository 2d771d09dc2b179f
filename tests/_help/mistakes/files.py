"""Snapshots, files and what a training reports."""
from tests._help.mistakes.case import Case

PARTS_OF_A_TRAINER = '''
updater = training.StandardUpdater(chainer.iterators.SerialIterator(
    chainer.datasets.TupleDataset(x, t), 2), optimizer.setup(model))
trainer = training.Trainer(updater, (1, 'epoch'), folder)
'''

CASES = (
    Case('a model and its file that are swapped, saved',
         "chainer.serializers.save_npz(model, folder + '/model.npz')",
         ('Classifier', 'file comes first', 'save_npz(file, object)'),
         ('obscure', 'what', 'cure'),
         "torch.save('model.pt', model)"),
    Case('a model and its file that are swapped, loaded',
         "chainer.serializers.load_npz(model, folder + '/model.npz')",
         ('Classifier', 'file comes first', 'load_npz(file, object)'),
         ('obscure', 'what', 'cure'),
         'torch.load(model)',
         'WrongKind'),
    Case('a file of a model for a trainer',
         PARTS_OF_A_TRAINER + """
chainer.serializers.save_npz(folder + '/model.npz', model)
chainer.serializers.load_npz(folder + '/model.npz', trainer)
""",
         ('model.npz', 'does not contain a trainer', 'snapshot()'),
         ('what', 'silent', 'cure')),
    Case('an HDF5 file for load_npz',
         '''
         chainer.serializers.save_hdf5(folder + '/model.h5', model)
         chainer.serializers.load_npz(folder + '/model.h5', model)
         ''',
         ('model.h5', 'HDF5', 'load_hdf5'),
         ('obscure', 'silent', 'cure'),
         None, 'ValueError'),
    Case('an npz file for load_hdf5',
         '''
         chainer.serializers.save_npz(folder + '/model.npz', model)
         chainer.serializers.load_hdf5(folder + '/model.npz', model)
         ''',
         ('model.npz', 'HDF5', 'zip', 'load_npz'),
         ('what', 'silent', 'cure')),
    Case('a trigger instead of the function of a snapshot',
         "train(extensions.snapshot((1, 'epoch')), out=folder)",
         ('savefun', "(1, 'epoch')", 'extend(', 'trigger='),
         ('obscure', 'silent', 'cure')),
    Case('a name of a snapshot with the epoch of the trainer',
         "train(extensions.snapshot(filename='snapshot_{.epoch}'), out=folder)",
         ('snapshot_{.epoch}', 'updater', '{.updater.epoch}'),
         ('what', 'silent', 'cure')),
    Case('a class for a trigger',
         PARTS_OF_A_TRAINER + """
trainer.extend(extensions.LogReport(), trigger=training.triggers.TimeTrigger)
""",
         ('class TimeTrigger', 'an object', 'TimeTrigger(...)'),
         ('silent', 'silent', 'cure')),
    Case('one key instead of a list for PrintReport',
         "extensions.PrintReport('epoch')",
         ('PrintReport', 'each character', "'epoch'", "PrintReport(['epoch'])"),
         ('silent', 'silent', 'cure')),
    Case('one key instead of a list for LogReport',
         "train(extensions.LogReport('main/loss'), out=folder)",
         ('LogReport', 'each character', "LogReport(['main/loss'])"),
         ('silent', 'silent', 'cure')),
    Case('a mistyped name for DumpGraph',
         "train(extensions.DumpGraph('main/los'), out=folder)",
         ('main/los', 'main/loss', 'DumpGraph'),
         ('what', 'silent', 'clear')),
    Case('a report whose arguments are swapped',
         '''
         with chainer.Reporter():
             chainer.report(model, {'loss': 1})
         ''',
         ('dict', 'Classifier', "report({'loss': loss}, link)"),
         ('obscure', 'silent', 'cure')),
    Case('a word that is reported',
         '''
         class Net(MLP):
             def forward(self, x, t):
                 chainer.report({'loss': 'low'}, self)
                 return F.softmax_cross_entropy(super().forward(x), t)
         train(extensions.LogReport(), out=folder, module=Net())
         ''',
         ('main/loss', "'low'", 'numbers', 'LogReport'),
         ('obscure', 'silent', 'clear')),
    Case('a pair of arrays for an Evaluator',
         'train(extensions.Evaluator((x, t), model), out=folder)',
         ('iterator', 'tuple', 'SerialIterator', 'repeat=False'),
         ('obscure', 'silent', 'cure')),
    Case('arguments of a shift that are swapped',
         "train(extensions.ExponentialShift(0.5, 'lr'), out=folder)",
         ('ExponentialShift', 'attr', "'lr'", '0.5'),
         ('obscure', 'silent', 'clear')),
    Case('numbers instead of pairs for a shift',
         "train(extensions.LinearShift('lr', 0.1, 100), out=folder)",
         ('LinearShift', 'value_range', 'pair', '0.1'),
         ('obscure', 'silent', 'clear')),
)
