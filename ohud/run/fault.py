"""The two ways a render can go wrong."""


class Fault(Exception):
    """A value or argument that cannot be used: the segment or statement is left out."""


class Spent(Exception):
    """Fuel or a budget is used up: the render as a whole fails."""
