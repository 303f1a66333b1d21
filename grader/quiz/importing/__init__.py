"""Questions from other programs' files, made into a bank."""
