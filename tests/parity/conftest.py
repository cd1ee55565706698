"""The fixtures of scikit-learn's own test suite that its modules ask for."""

import numpy as np
import pytest


@pytest.fixture
def global_random_seed() -> int:
    return 42


@pytest.fixture
def global_dtype() -> type:
    return np.float64
