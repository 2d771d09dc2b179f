"""A pole on a cart, which has to be kept upright by pushing the cart."""
import numpy as np

GRAVITY = 9.8           # m / s ** 2
CART_MASS = 1.          # kg
POLE_MASS = .1          # kg
HALF_LENGTH = .5        # m, of the pole
FORCE = 10.             # N
TIME_STEP = .02         # s
MAX_POSITION = 2.4      # m
MAX_ANGLE = np.radians(12)
USUAL = np.array([MAX_POSITION / 2, 1, MAX_ANGLE / 2, 1])   # m, m / s, rad, rad / s


class CartPole:
    """The equations of Barto, Sutton and Anderson (1983), without friction.

    A state has the position of the cart, its velocity, the angle of the pole and its
    angular velocity, of dtype float32, as multiples of what is usual. An action is 0 or
    1: a push to the left or to the right. Each step that the pole stands gives a reward
    of 1. An episode ends when the pole leans too far or the cart leaves the track, or
    after 200 steps.
    """

    n_states, n_actions, max_steps = 4, 2, 200

    def __init__(self, random):
        self.random = random

    def reset(self):
        """Begin an episode and return the first state, which is nearly upright."""
        self.steps = 0
        self.state = self.random.uniform(-.05, .05, 4)
        return self.observe()

    def observe(self):
        return (self.state / USUAL).astype(np.float32)

    def step(self, action):
        """Return the next state, the reward, and two flags: has failed, is over."""
        x, v, angle, spin = self.state
        force = FORCE if action else -FORCE
        mass = CART_MASS + POLE_MASS
        sin, cos = np.sin(angle), np.cos(angle)
        push = (force + POLE_MASS * HALF_LENGTH * spin ** 2 * sin) / mass
        spin_rate = (GRAVITY * sin - push * cos) / (
            HALF_LENGTH * (4 / 3 - POLE_MASS * cos ** 2 / mass))
        acceleration = push - POLE_MASS * HALF_LENGTH * spin_rate * cos / mass
        rates = np.array([v, acceleration, spin, spin_rate])
        self.state = self.state + TIME_STEP * rates
        self.steps += 1
        failed = abs(self.state[0]) > MAX_POSITION or abs(self.state[2]) > MAX_ANGLE
        return (self.observe(), 1., failed,
                failed or self.steps == self.max_steps)
