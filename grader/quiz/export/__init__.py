"""A quiz in the formats that learning platforms, notebooks and people read: one module a format."""
