"""The choice at work in an agent: its middleware, which tools may be used, and a log of those that were."""
