"""Classes implemented in Python. They are not in the package itself, where a module weir.x would hide a public name
tf.x."""
