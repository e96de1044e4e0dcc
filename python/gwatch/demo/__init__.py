"""What ``gwatch demo`` runs: the attention example here, or a capture of it from an H200."""
