"""tensorflow.python.client.device_lib: the devices of this machine."""
from weir.proto import message_class


def list_local_devices(session_config=None):
    """Returns DeviceAttributes messages, with names like "/device:CPU:0"."""
    import weir as tf
    found = []
    with tf.Session(graph=tf.Graph(), config=session_config) as sess:
        for device in sess.list_devices():
            name = "/device:" + device.name.rpartition("/device:")[2]
            found.append(message_class("DeviceAttributes")(name=name, device_type=device.device_type,
                                                           memory_limit=device.memory_limit_bytes, incarnation=device.incarnation))
    return found
