"""tf.contrib.slim.nets: networks that classify images, written with slim's layers and with the variable names of TensorFlow's checkpoints."""
