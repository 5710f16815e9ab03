"""What `scripts/gpu-check` is made of."""
