"""Data sets, batches and trainers."""
from tests._help.mistakes.case import Case

CASES = (
    Case('examples of unequal shapes',
         'chainer.dataset.concat_examples([np.zeros(3), np.zeros(3), np.zeros(4)])',
         ('example 2', '(4,)', '(3,)', 'padding'),
         ('obscure', 'clear', 'cure'),
         '''
         torch.utils.data.default_collate(
             [torch.zeros(3), torch.zeros(3), torch.zeros(4)])
         '''),
    Case('images of unequal shapes beside labels',
         '''
         train(examples=[(np.zeros((3, 8, 8), np.float32), 0),
                         (np.zeros((3, 8, 9), np.float32), 1)])
         ''',
         ('element 0', 'example 1', '(3, 8, 9)', '(3, 8, 8)', 'padding'),
         ('obscure', 'clear', 'cure'),
         '''
         torch.utils.data.default_collate(
             [(torch.zeros(3, 8, 8), 0), (torch.zeros(3, 8, 9), 1)])
         '''),
    Case('lists of unequal lengths',
         'chainer.dataset.concat_examples([[1, 2], [3, 4, 5]])',
         ('example 1', 'length', '3', '2', 'padding'),
         ('obscure', 'clear', 'cure'),
         'torch.utils.data.default_collate([[1, 2], [3, 4, 5]])',
         'ValueError'),
    Case('examples with fewer elements',
         'chainer.dataset.concat_examples([(x[0], 1), (x[0],)])',
         ('example 1', '1 element', '2'),
         ('obscure', 'clear', 'clear'),
         'torch.utils.data.default_collate([(x[0], 1), (x[0],)])'),
    Case('words as examples',
         "chainer.dataset.concat_examples(['a', 'b'])",
         ('str', 'converter'),
         ('what', 'silent', 'cure'),
         "torch.utils.data.default_collate(['a', 'b'])"),
    Case('a batch without examples',
         'chainer.dataset.concat_examples([])',
         ('empty',),
         ('what', 'obscure', 'what'),
         'torch.utils.data.default_collate([])'),
    Case('data sets of unequal lengths',
         'chainer.datasets.TupleDataset(x, t[:1])',
         ('1', '2', 'length'),
         ('what', 'what', 'clear'),
         'torch.utils.data.TensorDataset(x, t[:1])'),
    Case('examples without labels',
         'train(examples=[(row,) for row in x])',
         ('Classifier.predictor', 'inputs and labels'),
         ('obscure', 'what', 'cure'),
         'F.cross_entropy(model(x))'),
    Case('a model that returns no loss',
         '''
         train(examples=[(row,) for row in x], module=MLP())
         ''',
         ('(2, 3)', 'chainer.functions.sum'),
         ('obscure', 'clear', 'cure'),
         'model(x).backward()'),
    Case('a mistyped key of PrintReport',
         '''
         train(extensions.LogReport(), extensions.PrintReport(
             ['epoch', 'main/los'], out=io.StringIO()), out=folder)
         ''',
         ('PrintReport', 'main/los', 'main/loss'),
         ('silent', 'silent', 'cure')),
    Case('a mistyped key of PlotReport',
         '''
         train(extensions.PlotReport(['main/acuracy'], 'epoch'), out=folder)
         ''',
         ('PlotReport', 'main/acuracy', 'main/accuracy'),
         ('silent', 'silent', 'cure')),
    Case('a mistyped x_key of PlotReport',
         '''
         train(extensions.PlotReport(['main/loss'], 'epochs'), out=folder)
         ''',
         ('epochs', 'epoch'),
         ('obscure', 'silent', 'cure')),
    Case('PrintReport without LogReport',
         "train(extensions.PrintReport(['epoch'], out=io.StringIO()), out=folder)",
         ('LogReport', 'extend'),
         ('what', 'silent', 'cure')),
    Case('a mistyped unit of a trigger',
         "training.triggers.IntervalTrigger(1, 'epochs')",
         ('epochs', "'epoch'"),
         ('clear', 'silent', 'clear')),
    Case('an extension that is not there',
         '''
         trainer = training.Trainer(training.StandardUpdater(
             chainer.iterators.SerialIterator([1], 1), optimizer.setup(model)))
         trainer.extend(extensions.LogReport())
         trainer.get_extension('LogReports')
         ''',
         ('LogReports', 'LogReport'),
         ('what', 'silent', 'clear')),
    Case('an extension of a mistyped attribute',
         '''
         train(extensions.ExponentialShift('learning_rate', 0.5), out=folder)
         ''',
         ('learning_rate', 'SGD', 'lr'),
         ('what', 'silent', 'cure')),
    Case('a mistyped monitor of early stopping',
         '''
         trigger = training.triggers.EarlyStoppingTrigger(
             monitor='validation/loss', check_trigger=(1, 'epoch'))
         batches = chainer.iterators.SerialIterator(
             chainer.datasets.TupleDataset(x, t), 2)
         training.Trainer(training.StandardUpdater(
             batches, optimizer.setup(model)), trigger, folder).run()
         ''',
         ('validation/loss', 'main/loss'),
         ('what', 'silent', 'clear')),
    Case('an optimizer that is not set up, in an updater',
         '''
         training.Trainer(training.StandardUpdater(
             chainer.iterators.SerialIterator([x[0]], 1), optimizer), (1, 'epoch'))
         ''',
         ('SGD', 'setup'),
         ('obscure', 'clear', 'cure'),
         'torch.optim.SGD()'),
    Case('a folder in place of a snapshot',
         'chainer.serializers.load_npz(folder, model)',
         ('directory',),
         ('what', 'what', 'what'),
         '''
         import os
         torch.load(os.curdir)
         '''),
    Case('a model that does not take labels',
         'train(module=MLP())',
         ('an array of (2, 3)', 'an array of (2,)', 'converter', 'MLP'),
         ('what', 'what', 'cure'),
         'model(x, t)'),
    Case('a shift of what an optimizer computes',
         '''
         adam = optimizers.Adam().setup(model)
         train(extensions.ExponentialShift('lr', 0.5, optimizer=adam), out=folder)
         ''',
         ('Adam', 'alpha'),
         ('what', 'silent', 'clear')),
    Case('a snapshot without an extension',
         '''
         def run(path, *chosen):
             trainer = training.Trainer(
                 training.StandardUpdater(chainer.iterators.SerialIterator(
                     chainer.datasets.TupleDataset(x, t), 2), optimizer.setup(model)),
                 (1, 'epoch'), folder)
             trainer.extend(extensions.snapshot(filename='file'))
             for extension in chosen:
                 trainer.extend(extension)
             if path:
                 chainer.serializers.load_npz(path, trainer)
             trainer.run()
         run(None)
         run(folder + '/file', extensions.ExponentialShift('lr', 0.5))
         ''',
         ('ExponentialShift', 'strict=False'),
         ('what', 'silent', 'cure')),
    Case('an Evaluator over data without an end',
         '''
         extensions.Evaluator(chainer.iterators.SerialIterator([x], 1), model)
         ''',
         ('main', 'never ends', 'repeat=False'),
         ('clear', 'silent', 'cure')),
    Case('a transform with a parameter for each element',
         '''
         chainer.datasets.TransformDataset(
             chainer.datasets.TupleDataset(x, t), lambda picture, label: label)[0]
         ''',
         ("'label'", 'one argument', '2 elements', 'f(example)'),
         ('what', 'silent', 'cure')),
    Case('names of classes as labels of images',
         '''
         from PIL import Image
         Image.new('RGB', (4, 4)).save(folder + '/a.png')
         chainer.datasets.LabeledImageDataset([('a.png', 'cat')], folder)[0]
         ''',
         ('label', "'cat'", 'numbers'),
         ('obscure', 'silent', 'cure')),
)
