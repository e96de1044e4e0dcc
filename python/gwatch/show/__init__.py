"""Text and machine-readable rendering of a trace, one file a section: pure functions from bound objects to text."""
