"""Support for NVIDIA GPUs."""
