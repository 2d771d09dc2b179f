"""Steps of trainings, which return their losses."""
import chainer


def trained_by(optimizer, model, hook=None):
    optimizer.setup(model)
    if hook is not None:
        optimizer.add_hook(hook)
    return optimizer


def standard(examples, batch_size, optimizer, loss_func=None):
    """Return a function that makes a step of a StandardUpdater and returns the loss."""
    updater = chainer.training.updaters.StandardUpdater(
        chainer.iterators.SerialIterator(examples, batch_size), optimizer,
        loss_func=loss_func)
    return observed(updater, optimizer.target)


def observed(updater, *targets):
    reporter = chainer.Reporter()
    for i, target in enumerate(targets):
        reporter.add_observer(str(i), target)

    def step():
        observation = {}
        with reporter.scope(observation):
            updater.update()
        return [float(observation['%d/loss' % i].array) for i in range(len(targets))]

    return step
