"""What marked sheets say about the questions and the test."""
