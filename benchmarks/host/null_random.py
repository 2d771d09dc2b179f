"""Random numbers of the null device: arrays of the right shape."""
from benchmarks.host.ledger import launch, refuse_capture
from benchmarks.host.null_creation import empty


class RandomState:
    """A generator of cuRAND."""

    def _draw(self, size, dtype=float):
        refuse_capture('cuRAND')
        launch('cuRAND')
        return empty(() if size is None else size, dtype)

    _random_sample_raw = _draw

    def random_sample(self, size=None, dtype=float):
        launch('random_sample')     # which turns ones into zeros
        return self._draw(size, dtype)

    def standard_normal(self, size=None, dtype=float):
        return self._draw(size, dtype)

    def normal(self, loc=0., scale=1., size=None, dtype=float):
        launch('normal')
        return self._draw(size, dtype)

    def uniform(self, low=0., high=1., size=None, dtype=float):
        launch('uniform')
        return self.random_sample(size, dtype)

    def seed(self, seed=None):
        pass


_state = RandomState()


def get_random_state():
    return _state


def rand(*size, dtype=float):
    return _state.random_sample(size, dtype)


EXPORTS = {
    'RandomState': RandomState, 'get_random_state': get_random_state, 'rand': rand,
    **{name: getattr(_state, name) for name in (
        'random_sample', 'standard_normal', 'normal', 'uniform', 'seed')}}
