"""State, context, settings and errors, which every folder may import, and the wiring of each graph."""
