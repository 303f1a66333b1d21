"""The engine: runs a submission where it can do no harm, judges its answers, says what to do next."""

__all__ = ["__version__"]

__version__ = "0.1.0"
