"""How a route is made: the method, the limits, and the plan."""
