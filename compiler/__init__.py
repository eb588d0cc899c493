"""Compiling the context that a skill needs: strategies, routes, fusion, refining and assembling."""
