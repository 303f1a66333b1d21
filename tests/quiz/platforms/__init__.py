"""Other programs' ways to read and mark what we export, written down from their own rules and not from our writers."""
