"""Prompt texts as files, and their rendering."""
