from chainer_fast.backends.kernels.common.elementwise import Elementwise

add: Elementwise
add_constant: Elementwise
div: Elementwise
exp: Elementwise
mul: Elementwise
mul_constant: Elementwise
neg: Elementwise
pow_var_const: Elementwise
sqrt: Elementwise
sub: Elementwise
sub_from_constant: Elementwise
