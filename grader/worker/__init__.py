"""The untrusted side: the only code of the grader that enters the jail. It holds no check, no answer, no points."""
