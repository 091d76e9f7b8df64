"""The parts of the step-by-step page."""
