"""What happened: the specification, the events, and the state they add up to."""
