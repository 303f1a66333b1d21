"""Bytes that nobody would send on purpose, read by what reads a guest's frames: `make fuzz`."""
