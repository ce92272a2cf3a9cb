"""tf.contrib.nccl: sums and other reductions of tensors on several devices. The placer copies values between devices."""
import weir as tf


def _checked(tensors):
    if not tensors:
        raise ValueError("Must pass >0 tensors to all reduce operations")
    return [tf.convert_to_tensor(tensor) for tensor in tensors]


def _all(reduce, tensors):
    """Returns one copy of the reduced value for each tensor, on its device."""
    tensors = _checked(tensors)
    with tf.device(tensors[0].device):
        total = reduce(tensors)
    copies = []
    for tensor in tensors:
        with tf.device(tensor.device):
            copies.append(tf.identity(total))
    return copies


def all_sum(tensors):
    return _all(tf.add_n, tensors)


def all_prod(tensors):
    return _all(lambda parts: tf.reduce_prod(tf.stack(parts), 0), tensors)


def all_min(tensors):
    return _all(lambda parts: tf.reduce_min(tf.stack(parts), 0), tensors)


def all_max(tensors):
    return _all(lambda parts: tf.reduce_max(tf.stack(parts), 0), tensors)


def reduce_sum(tensors):
    """Returns the sum on the current device."""
    return tf.add_n(_checked(tensors))


def broadcast(tensor):
    """Returns a tensor that ops on any device may use."""
    return tf.identity(tensor)
