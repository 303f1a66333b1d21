"""Attention, to be written."""

# scores = q @ k.T
