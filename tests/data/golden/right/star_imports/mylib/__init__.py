from .shapes import *
from .constants import NEG_INF, ZERO
