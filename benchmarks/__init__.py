"""What the app aims for in speed and memory, measured: `python -m benchmarks [names]`."""
