"""Wrong calls of public functions and raw ops, made from right ones, and what each side says to them."""
