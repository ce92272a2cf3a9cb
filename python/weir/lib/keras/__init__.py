"""tf.keras for graph-mode programs: layers, models as containers of layers, losses, optimizers. Without fit()."""
