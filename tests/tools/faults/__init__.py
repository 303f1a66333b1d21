"""Faults of ours and of the machine, put in on purpose: `make faults`. None of them may cost a learner anything."""
