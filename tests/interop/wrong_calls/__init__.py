"""Wrong calls of public functions and raw ops, generated from valid ones, and the errors of both engines."""
