"""Numbers that are strings, as options of a command line are without a type."""
from tests._help.mistakes.case import Case

SAYS = ('a number', 'string', 'argparse', 'type=')
GRADES = ('obscure', 'obscure', 'cure')

CASES = (
    Case('a size of a batch from the command line',
         "chainer.iterators.SerialIterator(x, '32').next()",
         ("batch_size", "'32'", 'int', *SAYS),
         GRADES,
         "torch.utils.data.DataLoader(x, '32')"),
    Case('a number of epochs from the command line',
         '''
         updater = training.StandardUpdater(chainer.iterators.SerialIterator(
             chainer.datasets.TupleDataset(x, t), 2), optimizer.setup(model))
         training.Trainer(updater, ('20', 'epoch'), folder).run()
         ''',
         ('period', "'20'", 'int', *SAYS),
         GRADES),
    Case('a learning rate from the command line',
         "optimizers.Adam(alpha='0.1').setup(model).update(model, x, t)",
         ('alpha', 'Adam', "'0.1'", 'float', *SAYS),
         GRADES,
         "torch.optim.Adam(model.parameters(), lr='0.1')"),
    Case('a momentum from the command line',
         "optimizers.MomentumSGD(momentum='0.9').setup(model).update(model, x, t)",
         ('momentum', 'MomentumSGD', "'0.9'", 'float', *SAYS),
         GRADES,
         "torch.optim.SGD(model.parameters(), lr=0.1, momentum='0.9')",
         'TypeError'),
    Case('a ratio of a dropout from the command line',
         "F.dropout(x, '0.5')",
         ('ratio', "'0.5'", 'float', *SAYS),
         GRADES,
         "F.dropout(x, '0.5')"),
    Case('a rate of a weight decay from the command line',
         '''
         optimizer.setup(model)
         optimizer.add_hook(chainer.optimizer_hooks.WeightDecay('0.1'))
         optimizer.update(model, x, t)
         ''',
         ('rate', "'0.1'", 'float', *SAYS),
         GRADES,
         "torch.optim.SGD(model.parameters(), lr=0.1, weight_decay='0.1')",
         'TypeError'),
    Case('a threshold of clipping from the command line',
         '''
         optimizer.setup(model)
         optimizer.add_hook(chainer.optimizer_hooks.GradientClipping('5'))
         optimizer.update(model, x, t)
         ''',
         ('threshold', "'5'", 'float', *SAYS),
         GRADES,
         '''
         F.cross_entropy(model(x), t).backward()
         nn.utils.clip_grad_norm_(model.parameters(), 'five')
         '''),
    Case('a number of snapshots from the command line',
         "train(extensions.snapshot(n_retains='3'), out=folder)",
         ('n_retains', "'3'", 'int', *SAYS),
         GRADES),
)
