"""`grader audit`: proves that a lesson's checks pass right work, fail wrong work and name known mistakes."""
