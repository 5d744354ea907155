"""Constants of the standard, and NumPy's names beside them."""

import numpy as np

e = np.e
inf = np.inf
nan = np.nan
newaxis = None
pi = np.pi
euler_gamma = np.euler_gamma
