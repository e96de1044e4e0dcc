"""What reports of every kind share."""
