"""What ``gwatch demo`` runs: the attention example on this GPU, or a capture of it recorded on another."""
