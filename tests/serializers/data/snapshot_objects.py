"""The objects of the snapshots, built from the module that is given.

It has to run on Python 2.7 and with Chainer 4, so it does without what came later.
"""
import numpy


class Parts:
    """Makes models, optimizers and trainers, and lists what is to be saved of them.

    Facts are dictionaries of numbers that JSON holds exactly.
    """

    def __init__(self, chainer):
        self.chainer = chainer

    # ---- models

    def model(self, lazy=False):
        """A model with persistent values of several kinds."""
        chainer, links = self.chainer, self.chainer.links
        model = chainer.Chain()
        with model.init_scope():
            model.first = links.Linear(3, 4)
            model.norm = links.BatchNormalization(4)
            model.last = links.Linear(None if lazy else 4, 2)
        model.add_persistent('count', 0)
        model.add_persistent('rate', 0.)
        model.add_persistent('text', numpy.zeros(3, numpy.uint8))
        return model

    def filled_model(self, lazy=False):
        """The model with numbers of its own in each place."""
        model = self.model(lazy)
        for k, (_, param) in enumerate(sorted(model.namedparams())):
            if param.array is None:
                continue
            count = numpy.arange(param.array.size, dtype=numpy.float32)
            param.array[...] = (count / 7 + k).reshape(param.array.shape)
        model.norm.avg_mean[...] = [.1, .2, .3, .4]
        model.norm.avg_var[...] = [1.1, 1.2, 1.3, 1.4]
        model.norm.N = 17
        model.count, model.rate = 12345678901, 1. / 3
        model.text[...] = [97, 98, 99]
        return model

    def facts_of_model(self, model):
        facts = {
            name: None if param.array is None else param.array.tolist()
            for name, param in model.namedparams()}
        facts.update(
            mean=model.norm.avg_mean.tolist(), var=model.norm.avg_var.tolist(),
            n=int(model.norm.N), count=int(model.count), rate=float(model.rate),
            text=model.text.tolist())
        return facts

    # ---- optimizers

    def optimizer(self, name, n_steps):
        optimizer = getattr(self.chainer.optimizers, name)()
        optimizer.setup(self.filled_model())
        for step in range(n_steps):
            for k, (_, param) in enumerate(sorted(optimizer.target.namedparams())):
                param.grad = numpy.full_like(param.array, .5 * k - step)
            optimizer.update()
        if n_steps:
            optimizer.new_epoch()
        return optimizer

    def facts_of_optimizer(self, optimizer):
        facts = {'t': int(optimizer.t), 'epoch': int(optimizer.epoch)}
        for name, param in optimizer.target.namedparams():
            rule = param.update_rule
            facts[name] = [int(rule.t), None if rule.state is None else {
                key: state.tolist() for key, state in rule.state.items()}]
        return facts

    # ---- trainers

    def trainer(self, out, n_epochs=2, best=True):
        """A trainer; without ``best`` as releases before 6 can save and load it."""
        chainer, training = self.chainer, self.chainer.training
        extensions, triggers = training.extensions, training.triggers
        numpy.random.seed(0)
        x = numpy.linspace(-1, 1, 30).astype(numpy.float32).reshape(10, 3)
        t = (numpy.arange(10) % 2).astype(numpy.int32)
        model = self.filled_model()

        class Network(chainer.Chain):
            def __init__(self):
                chainer.Chain.__init__(self)
                with self.init_scope():
                    self.model = model

            def __call__(self, x, t):
                h = self.model.norm(self.model.first(x))
                loss = chainer.functions.softmax_cross_entropy(self.model.last(h), t)
                chainer.report({'loss': loss}, self)
                return loss

        optimizer = chainer.optimizers.MomentumSGD(lr=.125)
        optimizer.setup(Network())
        iterator = chainer.iterators.SerialIterator(
            chainer.datasets.TupleDataset(x, t), 4)
        updater = training.StandardUpdater(iterator, optimizer)
        trainer = training.Trainer(updater, (n_epochs, 'epoch'), out=out)
        trainer.extend(extensions.LogReport(trigger=(3, 'iteration')))
        trainer.extend(
            extensions.ExponentialShift('lr', .5), trigger=(2, 'iteration'))
        if best:
            trainer.extend(Nothing(), trigger=triggers.MinValueTrigger(
                'main/loss', (1, 'iteration')))
        return trainer

    def facts_of_trainer(self, trainer):
        updater = trainer.updater
        iterator = updater.get_iterator('main')
        optimizer = updater.get_optimizer('main')
        order = getattr(iterator, '_order', None)
        if order is None:
            order = iterator._state.order
        facts = {
            'model': self.facts_of_model(optimizer.target.model),
            'optimizer': self.facts_of_optimizer(optimizer),
            'iteration': int(updater.iteration), 'epoch': int(iterator.epoch),
            'detail': float(iterator.epoch_detail),
            'position': int(iterator.current_position),
            'is_new_epoch': bool(iterator.is_new_epoch),
            'order': [int(index) for index in order],
            'shift': int(trainer.get_extension('ExponentialShift')._t),
            'log': [
                {key: entry[key] for key in ('main/loss', 'iteration', 'epoch')}
                for entry in trainer.get_extension('LogReport').log]}
        if 'Nothing' in trainer._extensions:
            facts['best'] = float(trainer._extensions['Nothing'].trigger._best_value)
        return facts


class Nothing(object):      # noqa: UP004
    """An extension that does nothing; its trigger has a state."""

    name = 'Nothing'
    trigger = (1, 'iteration')
    priority = 0
    invoke_before_training = False

    def __call__(self, trainer):
        pass
