"""An epoch of the perceptron that Chainer's MNIST example trains, on random data.

60,000 rows are for training and 10,000 for evaluation, in batches of 100. Chainer's
side is a ``Trainer`` with ``SerialIterator`` and ``Evaluator``, PyTorch's the customary
loop with a ``DataLoader`` without workers. Both take loss and accuracy of every batch.
"""
import tempfile

import numpy as np

N_TRAIN, N_TEST = 60000, 10000
N_IN, N_UNITS, N_OUT = 784, 100, 10
BATCH = 100


def make_data(n, seed):
    """Return rows and labels."""
    random = np.random.RandomState(seed)
    rows = random.random_sample((n, N_IN)).astype(np.float32)
    return rows, random.randint(N_OUT, size=n).astype(np.int32)


def make_weights():
    """Return the initial weights of the three layers."""
    random = np.random.RandomState(0)
    sizes = (N_IN, N_UNITS, N_UNITS, N_OUT)
    return [(random.randn(n_out, n_in) / n_in ** 0.5).astype(np.float32)
            for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True)]


def chainer_step(chainer):
    """Return a function that trains a new model for an epoch, by Chainer's interface.

    Its ``check`` returns the mean loss of the evaluation.
    """
    F, L, training = chainer.functions, chainer.links, chainer.training

    class Perceptron(chainer.Chain):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.l1, self.l2, self.l3 = [
                    L.Linear(*W.shape[::-1], initialW=W) for W in make_weights()]

        def forward(self, x):
            return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))

    train = chainer.datasets.TupleDataset(*make_data(N_TRAIN, 1))
    test = chainer.datasets.TupleDataset(*make_data(N_TEST, 2))
    out = tempfile.TemporaryDirectory()

    def step():
        model = L.Classifier(Perceptron())
        optimizer = chainer.optimizers.Adam()
        optimizer.setup(model)
        updater = training.updaters.StandardUpdater(
            chainer.iterators.SerialIterator(train, BATCH), optimizer)
        trainer = training.Trainer(updater, (1, 'epoch'), out=out.name)
        trainer.extend(training.extensions.Evaluator(
            chainer.iterators.SerialIterator(test, BATCH, repeat=False, shuffle=False),
            model))
        trainer.extend(training.extensions.LogReport())
        trainer.run()
        return trainer.observation['validation/main/loss']

    step.check = lambda: [np.array([float(step())])]
    return step


def torch_step(torch):
    """Return the same for PyTorch."""
    from torch.utils.data import DataLoader, TensorDataset

    nn = torch.nn

    def loader(n, seed, **options):
        rows, labels = map(torch.from_numpy, make_data(n, seed))
        return DataLoader(
            TensorDataset(rows, labels.long()), batch_size=BATCH, **options)

    train, test = loader(N_TRAIN, 1, shuffle=True), loader(N_TEST, 2)
    lossfun = nn.CrossEntropyLoss()

    def step():
        layers = [nn.Linear(*W.shape[::-1]) for W in make_weights()]
        with torch.no_grad():
            for layer, W in zip(layers, make_weights(), strict=True):
                layer.weight.copy_(torch.from_numpy(W))
                layer.bias.zero_()
        l1, l2, l3 = layers
        model = nn.Sequential(l1, nn.ReLU(), l2, nn.ReLU(), l3)
        optimizer = torch.optim.Adam(model.parameters())

        model.train()
        for rows, labels in train:
            optimizer.zero_grad()
            y = model(rows)
            loss = lossfun(y, labels)
            loss.backward()
            optimizer.step()
            loss.item(), (y.argmax(1) == labels).float().mean().item()
        model.eval()
        total = 0.
        with torch.no_grad():
            for rows, labels in test:
                y = model(rows)
                total += lossfun(y, labels).item()
                (y.argmax(1) == labels).float().mean().item()
        return total / len(test)

    # The order of its rows differs, so that the loss only agrees roughly.
    step.check = lambda: [None]
    return step
