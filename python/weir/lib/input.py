"""tf.train.string_input_producer, tf.train.batch and their kin, with TensorFlow's signatures; what they build is in C++."""
from weir import _weir
from weir.lib.queues import FIFOQueue, QueueBase, _parts


def _fifo(queue):
    made = FIFOQueue.__new__(FIFOQueue)
    QueueBase.__init__(made, *_parts(queue))
    return made


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                   summary_name=None, name=None, cancel_op=None):
    """A queue of the rows of a tensor, over and over or num_epochs times."""
    return _fifo(_weir.input_producer(input_tensor, element_shape, num_epochs, shuffle, seed, capacity, shared_name, summary_name, name,
                                      cancel_op))


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None,
                          cancel_op=None):
    """A queue of strings, mostly the names of files."""
    return _fifo(_weir.string_input_producer(string_tensor, num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op))


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the numbers from 0 to limit - 1."""
    return _fifo(_weir.range_input_producer(limit, num_epochs, shuffle, seed, capacity, shared_name, name))


def _batch(tensors, batch_size, keep_input=True, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
           allow_smaller_final_batch=False, min_after_dequeue=None, seed=None, shared_name=None, name=None):
    """Values and results are lists or dictionaries; one value alone comes out alone."""
    return _joined([tensors], batch_size, keep_input, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                   min_after_dequeue, seed, shared_name, name, join=False, num_threads=num_threads)


def _joined(tensors_list, batch_size, keep_input, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
            min_after_dequeue, seed, shared_name, name, join=True, num_threads=1):
    keys = sorted(tensors_list[0]) if tensors_list and isinstance(tensors_list[0], dict) else None
    for tensors in tensors_list:
        if isinstance(tensors, dict) != (keys is not None):
            raise TypeError("all lists of values must be lists, or all dictionaries")
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
    """Batches of the values that a step makes, in their order."""
    return _batch(tensors, batch_size, True, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                  shared_name=shared_name, name=name)


def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same of those values for which keep_input is true."""
    return _batch(tensors, batch_size, keep_input, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                  shared_name=shared_name, name=name)


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches out of several lists of values, each with a thread of its own."""
    return _joined(tensors_list, batch_size, True, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, None, None,
                   shared_name, name)


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                     allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same of those values for which keep_input is true."""
    return _joined(tensors_list, batch_size, keep_input, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, None,
                   None, shared_name, name)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of values in random order, out of at least min_after_dequeue of them."""
    return _batch(tensors, batch_size, True, num_threads, capacity, enqueue_many, shapes, False, allow_smaller_final_batch,
                  min_after_dequeue, seed, shared_name, name)


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None, enqueue_many=False,
                        shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same of those values for which keep_input is true."""
    return _batch(tensors, batch_size, keep_input, num_threads, capacity, enqueue_many, shapes, False, allow_smaller_final_batch,
                  min_after_dequeue, seed, shared_name, name)


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches in random order out of several lists of values, each with a thread of its own."""
    return _joined(tensors_list, batch_size, True, capacity, enqueue_many, shapes, False, allow_smaller_final_batch, min_after_dequeue,
                   seed, shared_name, name)


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None, enqueue_many=False, shapes=None,
                             allow_smaller_final_batch=False, shared_name=None, name=None):
    """The same of those values for which keep_input is true."""
    return _joined(tensors_list, batch_size, keep_input, capacity, enqueue_many, shapes, False, allow_smaller_final_batch,
                   min_after_dequeue, seed, shared_name, name)
