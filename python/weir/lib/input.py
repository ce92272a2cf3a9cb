"""tf.train.string_input_producer, tf.train.batch and related functions: TensorFlow's signatures for C++ functions."""
from weir import _weir
from weir.lib.queues import FIFOQueue, QueueBase, _parts


def _fifo(queue):
    made = FIFOQueue.__new__(FIFOQueue)
    QueueBase.__init__(made, *_parts(queue))
    return made


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                   summary_name=None, name=None, cancel_op=None):
    """Returns a queue of the rows of a tensor, repeated num_epochs times or forever."""
    return _fifo(_weir.input_producer(input_tensor, element_shape, num_epochs, shuffle, seed, capacity, shared_name, summary_name, name,
                                      cancel_op))


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None,
                          cancel_op=None):
    """Returns a queue of strings, usually file names."""
    return _fifo(_weir.string_input_producer(string_tensor, num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op))


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """Returns a queue of the integers from 0 to limit - 1."""
    return _fifo(_weir.range_input_producer(limit, num_epochs, shuffle, seed, capacity, shared_name, name))


def _batch(tensors, batch_size, keep_input=True, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
           allow_smaller_final_batch=False, min_after_dequeue=None, seed=None, shared_name=None, name=None):
    """`tensors` is a list or a dict, and so is the result. A single value is returned without a list."""
    return _joined([tensors], batch_size, keep_input, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                   min_after_dequeue, seed, shared_name, name, join=False, num_threads=num_threads)


def _joined(tensors_list, batch_size, keep_input, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
            min_after_dequeue, seed, shared_name, name, join=True, num_threads=1):
    keys = sorted(tensors_list[0]) if tensors_list and isinstance(tensors_list[0], dict) else None
    for tensors in tensors_list:
        if isinstance(tensors, dict) != (keys is not None):
            raise TypeError("tensors_list must contain only lists, or only dictionaries")
        if keys is not None and sorted(tensors) != keys:
            raise ValueError("The keys of all dictionaries must be the same")
    lists = [[tensors[key] for key in keys] if keys is not None else list(tensors) for tensors in tensors_list]
    batch = _weir.batch(lists, join, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                        keep_input, min_after_dequeue, seed, shared_name, name)
    if keys is not None:
        return dict(zip(keys, batch))
    return batch[0] if len(batch) == 1 else batch


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):
    """Collects the values of successive steps into batches, in order."""
    return _batch(tensors, batch_size, True, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                  shared_name=shared_name, name=name)


def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like batch, but uses only values for which keep_input is true."""
    return _batch(tensors, batch_size, keep_input, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                  shared_name=shared_name, name=name)


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like batch, with several lists of values, each enqueued by its own thread."""
    return _joined(tensors_list, batch_size, True, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, None, None,
                   shared_name, name)


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                     allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like batch_join, but uses only values for which keep_input is true."""
    return _joined(tensors_list, batch_size, keep_input, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, None,
                   None, shared_name, name)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    """Collects values into batches in random order, drawn from a buffer of at least min_after_dequeue values."""
    return _batch(tensors, batch_size, True, num_threads, capacity, enqueue_many, shapes, False, allow_smaller_final_batch,
                  min_after_dequeue, seed, shared_name, name)


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None, enqueue_many=False,
                        shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch, but uses only values for which keep_input is true."""
    return _batch(tensors, batch_size, keep_input, num_threads, capacity, enqueue_many, shapes, False, allow_smaller_final_batch,
                  min_after_dequeue, seed, shared_name, name)


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch, with several lists of values, each enqueued by its own thread."""
    return _joined(tensors_list, batch_size, True, capacity, enqueue_many, shapes, False, allow_smaller_final_batch, min_after_dequeue,
                   seed, shared_name, name)


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None, enqueue_many=False, shapes=None,
                             allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch_join, but uses only values for which keep_input is true."""
    return _joined(tensors_list, batch_size, keep_input, capacity, enqueue_many, shapes, False, allow_smaller_final_batch,
                   min_after_dequeue, seed, shared_name, name)
