from chainer_fast._core.updates.update import HookRecipe, Recipe

ada_delta: Recipe
ada_grad: Recipe
adam: Recipe
corrected_momentum_sgd: Recipe
momentum_sgd: Recipe
nesterov_ag: Recipe
rmsprop: Recipe
rmsprop_graves: Recipe
sgd: Recipe
smorms3: Recipe

hard_clipping: HookRecipe
lars: HookRecipe
lasso: HookRecipe
scale: HookRecipe
unscale: HookRecipe
weight_decay: HookRecipe

def msvag(largest_rho: float) -> Recipe: ...
