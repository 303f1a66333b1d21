"""What the questions of the bank ask, computed anew: one function a question, one module an objective."""
