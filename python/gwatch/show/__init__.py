"""A trace as text and as plain data, one file a section: functions from bound objects to lines."""
