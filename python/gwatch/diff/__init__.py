"""Two traces compared: which runs match, what changed, and whether it is more than allowed."""
