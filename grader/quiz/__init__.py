"""The knowledge check: a bank of questions, how answers are marked, and where questions travel."""
