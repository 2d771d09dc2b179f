"""States of NumPy's global generator, and amounts of numbers that are drawn from it."""
import numpy as np
from hypothesis import strategies as st

# What is drawn before: it leaves the generator anywhere within its block of 624 words,
# also between the two words of a double.
BEFORE = {
    'nothing': lambda: None,
    'doubles': lambda: np.random.rand(310),
    'one word': lambda: np.random.randint(0, 9, 1, dtype=np.uint32),
    'words': lambda: np.random.randint(0, 9, 623, dtype=np.uint32),
    'normal': lambda: np.random.randn(3),
}

sizes = st.sampled_from([1, 2, 5, 311, 312, 313, 624, 1023, 1024, 1025, 3000, 20000])
