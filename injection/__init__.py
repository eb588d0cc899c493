"""What of the skills goes into a prompt: the catalogue block, whole skills, and the tools that load them on demand."""
