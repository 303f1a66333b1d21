"""The untrusted side: the only code of ours that enters the jail. It holds no check, no answer, no points."""
