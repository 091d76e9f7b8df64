"""Benchmarks of speed and memory against their targets: `python -m benchmarks [names]`."""
