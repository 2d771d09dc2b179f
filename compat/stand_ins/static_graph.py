"""Examples of static graphs, with the data of the plain examples."""
from stand_ins import cifar, mnist, ptb
from stand_ins.run import Run

_MNIST = ('--epoch', '2', '--unit', '20', '--batchsize', '50')
_CIFAR = ('--epoch', '1', '--batchsize', '10', '--device', '-1')
_PTB = ('--epoch', '1', '--batchsize', '5', '--bproplen', '10', '--unit', '16',
        '--device', '-1')
_TABLE = r'(?s)epoch .*main/loss .*\n *[12] +\d'
_BELOW = 'static_graph_optimizations/'

RUNS = [
    Run(_BELOW + 'mnist/train_mnist.py', (*_MNIST, '--model', model), mnist.prepare,
        needs=('matplotlib',), prints=_TABLE,
        produces=('result/log', 'result/cg.dot', 'result/accuracy.png',
                  'result/snapshot_iter_12'))
    for model in ('MLP', 'MLPSideEffect')
] + [
    Run(_BELOW + 'mnist/train_mnist_custom_loop.py', (*_MNIST, '--model', model),
        mnist.prepare, needs=('matplotlib',), produces=('mlp.model', 'mlp.state'),
        prints=r'epoch: +2\n.*\ntest mean  loss: \d')
    for model in ('MLP', 'MLPSideEffect')
] + [
    Run(_BELOW + 'cifar/train_cifar.py', _CIFAR, cifar.prepare, prints=_TABLE,
        produces=('result/log', 'result/cg.dot', 'result/snapshot_iter_2')),
    Run(_BELOW + 'cifar/train_cifar_custom_loop.py', _CIFAR, cifar.prepare,
        produces=('mlp.model', 'mlp.state'), prints=r'epoch: 1\n'),
    Run(_BELOW + 'ptb/train_ptb_custom_loop.py', _PTB, ptb.prepare,
        # It trains, but its class of iterators lacks a method for the evaluation.
        prints='\ntest\n', own_fault="'ParallelSequentialIterator' .* 'reset'"),
]
