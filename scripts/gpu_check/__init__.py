"""The parts of `scripts/gpu-check`."""
