"""Op functions by their own names: weir.ops.gen has one function per registered op."""
