"""Generated op functions: weir.ops.gen has one function per registered op."""
