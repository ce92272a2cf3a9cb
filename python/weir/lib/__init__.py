"""The classes that are written in Python. Not in the package itself: importing weir.x would hide a public name tf.x."""
