"""One node a module: state in, state update out."""
