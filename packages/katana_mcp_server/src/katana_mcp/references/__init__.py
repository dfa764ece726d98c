"""From a name, a code or a number to a record and back, and what a call is given to ask with."""
