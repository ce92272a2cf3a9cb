"""tf.data.experimental and tf.contrib.data: transformations that are not methods of Dataset."""
from weir import _weir
from weir.lib.data_elements import trace


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive.")

    def transformation(dataset):
        function, spec = trace(map_func, dataset._spec)
        calls = num_parallel_calls
        if calls is None:
            calls = batch_size * (num_parallel_batches or 1)
        return dataset._from(_weir.dataset_map_and_batch(dataset._flat, function, batch_size, calls, drop_remainder), spec)

    return transformation


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    return lambda dataset: dataset._like(_weir.dataset_shuffle_and_repeat(dataset._flat, buffer_size, -1 if count is None else count, seed))


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None):
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy)


def unbatch():
    return lambda dataset: dataset.unbatch()


def enumerate_dataset(start=0):
    return lambda dataset: dataset.enumerate(start)


def ignore_errors(log_warning=False):
    return lambda dataset: dataset._like(_weir.dataset_ignore_errors(dataset._flat, log_warning))


def batch_and_drop_remainder(batch_size):
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def prefetch_to_device(device, buffer_size=None):
    return lambda dataset: dataset.prefetch(buffer_size)


def get_single_element(dataset):
    return dataset._spec.value_of(_weir.dataset_single_element(dataset._flat_with_options))
