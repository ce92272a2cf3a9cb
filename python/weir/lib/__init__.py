"""Classes implemented in Python. Not in the package itself, where a module weir.x would hide a public name tf.x."""
