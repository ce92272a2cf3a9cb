"""Input pipelines of tf.contrib.training: buckets and sampling."""
from weir import _weir
from weir._names import find as _find


def _names_of(tensors):
    """Returns the tensors as a list, and a function that gives results the form of the tensors: a list or a dict."""
    if isinstance(tensors, dict):
        keys = sorted(tensors)
        return [tensors[key] for key in keys], lambda values: dict(zip(keys, values))
    return list(tensors), list


def bucket(tensors, which_bucket, batch_size, num_buckets, num_threads=1, capacity=32, bucket_capacities=None, shapes=None, dynamic_pad=False,
           allow_smaller_final_batch=False, keep_input=True, shared_name=None, name=None):
    """Returns the number of a bucket and a batch of its elements."""
    values, formed = _names_of(tensors)
    sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size]
    number, batch = _weir.batch_by_bucket(values, which_bucket, sizes, num_buckets, num_threads, capacity, bucket_capacities, shapes, dynamic_pad,
                                          allow_smaller_final_batch, keep_input, shared_name, name)
    return number, formed(batch)


def bucket_by_sequence_length(input_length, tensors, batch_size, bucket_boundaries, num_threads=1, capacity=32, bucket_capacities=None,
                              shapes=None, dynamic_pad=False, allow_smaller_final_batch=False, keep_input=True, shared_name=None, name=None):
    """Returns the lengths and the elements of a batch of similar lengths."""
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for low, high in zip(bucket_boundaries[:-1], bucket_boundaries[1:]):
        if not isinstance(low, int) or not isinstance(high, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {low} and {high}")
        if high <= low:
            raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {low} before {high}")
    values, formed = _names_of(tensors)
    input_length = _weir.convert_to_tensor(input_length)
    which = _weir.interval_of(input_length, list(bucket_boundaries))
    if shapes is not None:
        shapes = [[], *shapes]
    _, batch = bucket([input_length, *values], which, batch_size, len(bucket_boundaries) + 1, num_threads, capacity, bucket_capacities, shapes,
                      dynamic_pad, allow_smaller_final_batch, keep_input, shared_name, name)
    return batch[0], formed(batch[1:])


# --- sampling ---
def _kept(tensors, probability, batch_size, num_threads, capacity=32):
    keep = _find("random_uniform")([]) < probability
    batch = _find("train.maybe_batch")(tensors, keep_input=keep, batch_size=batch_size, num_threads=num_threads, capacity=capacity)
    return batch if isinstance(batch, list) else [batch]


def _single(tensors, num_threads, capacity):
    """Returns single elements of tensors that are batches."""
    batch = _find("train.batch")(tensors, batch_size=1, num_threads=num_threads, capacity=capacity, enqueue_many=True)
    return [_find("squeeze")(one, [0]) for one in (batch if isinstance(batch, list) else [batch])]


def rejection_sample(tensors, accept_prob_fn, batch_size, queue_threads=1, enqueue_many=False, prebatch_capacity=16, prebatch_threads=1,
                     runtime_checks=False, name=None):
    """Returns a batch of elements that were accepted with the probability accept_prob_fn(element)."""
    with _weir.name_scope(name or "rejection_sample"):
        values = [_weir.convert_to_tensor(one) for one in tensors]
        if enqueue_many:
            values = _single(values, prebatch_threads, prebatch_capacity)
        probability = _weir.convert_to_tensor(accept_prob_fn(values))
        probability.shape.assert_is_compatible_with([])
        if runtime_checks:
            checks = [_find("assert_less_equal")(0.0, probability), _find("assert_less_equal")(probability, 1.0)]
            probability = _weir.with_dependencies(checks, probability)
        return _kept(values, probability, batch_size, queue_threads)


def stratified_sample(tensors, labels, target_probs, batch_size, init_probs=None, enqueue_many=False, queue_capacity=16, threads_per_queue=1,
                      name=None):
    """Returns a batch of elements and their labels, resampled so that classes occur with the probabilities target_probs."""
    with _weir.name_scope(name or "stratified_sample"):
        values = [_weir.convert_to_tensor(one) for one in tensors]
        labels = _weir.convert_to_tensor(labels)
        target_probs = _weir.convert_to_tensor(target_probs, dtype=_weir.dtypes["float32"])
        if enqueue_many:
            *values, labels = _single([*values, labels], threads_per_queue, queue_capacity)
        if init_probs is None:
            init_probs = _weir.estimated_distribution(labels, target_probs.shape.as_list()[0], 10.0)
        accept = _weir.acceptance_probabilities(_weir.convert_to_tensor(init_probs, dtype=_weir.dtypes["float32"]), target_probs)
        batch = _kept([*values, labels], _find("gather")(accept, labels), batch_size, threads_per_queue, queue_capacity)
        return batch[:-1], batch[-1]


def resample_at_rate(inputs, rates, scope=None, seed=None, back_prop=False):
    """Resamples the rows of tensors: row i occurs n times, with n drawn from a Poisson distribution with mean rates[i].
    """
    with _weir.name_scope(scope or "resample_at_rate"):
        rows = _weir.resampled_rows(_weir.convert_to_tensor(rates, name="rates"), seed)
        found = [_find("gather")(one, rows) for one in inputs]
        return found if back_prop else [_find("stop_gradient")(one) for one in found]


def weighted_resample(inputs, weights, overall_rate, scope=None, mean_decay=0.999, seed=None):
    """Resamples rows at rates in proportion to their weights, overall_rate on average. Returns the rows and their rates."""
    with _weir.name_scope(scope or "weighted_resample") as opened:
        with _weir.variable_scope(scope, default_name="estimate_mean"):
            mean = _weir.estimated_mean(weights, mean_decay)
        rates = weights * overall_rate / mean
        results = resample_at_rate([rates, *inputs], rates, scope=opened, seed=seed)
        return results[1:], results[0]
