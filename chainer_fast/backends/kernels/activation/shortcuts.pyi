from chainer_fast._core.graph import Shortcut
from chainer_fast.backends.kernels.common.elementwise import Elementwise

class ReLUGradShortcut(Shortcut): ...

clipped_relu: Elementwise
elu: Elementwise
hard_sigmoid: Elementwise
leaky_relu: Elementwise
relu: Elementwise
relu_grad: ReLUGradShortcut
sigmoid: Elementwise
sigmoid_grad: Elementwise
softplus: Elementwise
tanh: Elementwise
tanh_grad: Elementwise
