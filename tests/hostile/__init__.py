"""The hostile suite: attacks as records, packed into submissions and graded by the real command at every level."""
