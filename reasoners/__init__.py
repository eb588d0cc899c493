"""Reason #1 and Reason #2, once with a chat model and once without."""
