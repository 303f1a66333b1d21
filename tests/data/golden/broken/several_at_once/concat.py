import ctypes


def concat(heads):
    ctypes.string_at(0)
