"""Counted outcomes on disk: how often something went into a prompt, and what came of it."""
