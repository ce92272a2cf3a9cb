"""slim.data: Dataset, providers and decoders as base classes, parallel readers, and prefetching queues."""
import abc

from weir import _weir
from weir._names import find as _find


class Dataset:
    """Describes a dataset: its files, how to read and decode them, and what they contain. Further fields are attributes, too."""

    def __init__(self, data_sources, reader, decoder, num_samples, items_to_descriptions, **kwargs):
        self.__dict__.update(kwargs, data_sources=data_sources, reader=reader, decoder=decoder, num_samples=num_samples,
                             items_to_descriptions=items_to_descriptions)


class DataDecoder(abc.ABC):
    """Decodes a record to tensors: its items."""

    @abc.abstractmethod
    def decode(self, data, items):
        """Returns the tensors of the items."""

    @abc.abstractmethod
    def list_items(self):
        """Returns the names of the items."""


class DataProvider(abc.ABC):
    """Provides tensors by the names of items."""

    def __init__(self, items_to_tensors, num_samples):
        self._items_to_tensors, self._num_samples = items_to_tensors, num_samples

    def get(self, items):
        self._validate_items(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self):
        return self._items_to_tensors.keys()

    def num_samples(self):
        return self._num_samples

    def _validate_items(self, items):
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        for item in items:
            if item not in self.list_items():
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {self.list_items()}")


class DatasetDataProvider(DataProvider):
    """Provides the decoded items of a dataset's records, read in parallel, and the key of each record."""

    def __init__(self, dataset, num_readers=1, reader_kwargs=None, shuffle=True, num_epochs=None, common_queue_capacity=256,
                 common_queue_min=128, record_key="record_key", seed=None, scope=None):
        key, data = parallel_read(dataset.data_sources, reader_class=dataset.reader, num_epochs=num_epochs, num_readers=num_readers,
                                  reader_kwargs=reader_kwargs, shuffle=shuffle, capacity=common_queue_capacity,
                                  min_after_dequeue=common_queue_min, seed=seed, scope=scope)
        items = dataset.decoder.list_items()
        tensors = dict(zip(items, dataset.decoder.decode(data, items)))
        if record_key in tensors:
            raise ValueError(f"The item name used for `record_key` cannot also be used for a dataset item: {record_key}")
        tensors[record_key] = key
        super().__init__(items_to_tensors=tensors, num_samples=dataset.num_samples)


# --- parallel readers ---
class ParallelReader(_find("ReaderBase")):  # type: ignore[misc]
    """Several readers that put their records into one queue."""

    def __init__(self, reader_class, common_queue, num_readers=4, reader_kwargs=None):
        string = _weir.dtypes["string"]
        if len(common_queue.dtypes) != 2 or any(not dtype.is_compatible_with(string) for dtype in common_queue.dtypes):
            raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self):
        return len(self._readers)

    @property
    def common_queue(self):
        return self._common_queue

    def read(self, queue, name=None):
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue, num_records, name=None):
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill_from(self, queue):
        enqueues = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        _find("train.add_queue_runner")(_find("train.QueueRunner")(self._common_queue, enqueues))

    def num_records_produced(self, name=None):
        return _weir.add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name=None):
        return _weir.add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def _fraction_full(queue, capacity):
    _find("summary.scalar")(f"fraction_of_{capacity}_full", _weir.cast(queue.size(), _weir.dtypes["float32"]) * (1. / capacity))


def parallel_read(data_sources, reader_class, num_epochs=None, num_readers=4, reader_kwargs=None, shuffle=True, dtypes=None, capacity=256,
                  min_after_dequeue=128, seed=None, scope=None):
    """Returns the key and the value of the next record of files that several readers read in parallel."""
    files = get_data_files(data_sources)
    with _weir.name_scope(scope or "parallel_read"):
        filenames = _find("train.string_input_producer")(files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames")
        dtypes = dtypes or [_weir.dtypes["string"]] * 2
        if shuffle:
            queue = _find("RandomShuffleQueue")(capacity=capacity, min_after_dequeue=min_after_dequeue, dtypes=dtypes, seed=seed,
                                                name="common_queue")
        else:
            queue = _find("FIFOQueue")(capacity=capacity, dtypes=dtypes, name="common_queue")
        _fraction_full(queue, capacity)
        return ParallelReader(reader_class, queue, num_readers=num_readers, reader_kwargs=reader_kwargs).read(filenames)


def single_pass_read(data_sources, reader_class, reader_kwargs=None, scope=None):
    """Returns the key and the value of the next record of files that are read once, in order."""
    files = get_data_files(data_sources)
    with _weir.name_scope(scope or "single_pass_read"):
        filenames = _find("train.string_input_producer")(files, num_epochs=1, shuffle=False, capacity=1, name="filenames")
        return reader_class(**(reader_kwargs or {})).read(filenames)


def get_data_files(data_sources):
    """Returns the files for a path, a pattern, or a list of these."""
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    elif any(c in data_sources for c in "*?["):
        files = _find("gfile.Glob")(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files


def prefetch_queue(tensors, capacity=8, num_threads=1, dynamic_pad=False, shared_name=None, name=None):
    """Returns a queue that background threads fill with copies of the tensors (a list or a dict)."""
    names = sorted(tensors) if isinstance(tensors, dict) else None
    values = tensors if names is None else [tensors[n] for n in names]
    with _weir.name_scope(name or "prefetch_queue"):
        kind = "PaddingFIFOQueue" if dynamic_pad else "FIFOQueue"
        queue = _find(kind)(capacity=capacity, dtypes=[t.dtype for t in values], shapes=[t.shape for t in values], names=names,
                            shared_name=shared_name)
        enqueue = queue.enqueue(tensors)
        _find("train.add_queue_runner")(_find("train.QueueRunner")(queue, [enqueue] * num_threads))
        _fraction_full(queue, capacity)
        return queue
