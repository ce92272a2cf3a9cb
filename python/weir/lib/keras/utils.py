"""tf.keras.utils, tf.keras.preprocessing and tf.keras.datasets: functions of arrays, texts and local files."""
import collections
import os
import sys
import time

import numpy as np

from weir.lib.keras.objects import (  # noqa: F401: public names
    CustomObjectScope, custom_object_scope, deserialize_keras_object, get_custom_objects, serialize_keras_object)


def to_categorical(y, num_classes=None, dtype="float32"):
    """Returns one-hot rows for class numbers."""
    y = np.array(y, dtype="int")
    shape = y.shape[:-1] if y.ndim > 1 and y.shape[-1] == 1 else y.shape
    y = y.ravel()
    count = num_classes or np.max(y) + 1
    rows = np.zeros((y.shape[0], count), dtype=dtype)
    rows[np.arange(y.shape[0]), y] = 1
    return rows.reshape(shape + (count,))


def normalize(x, axis=-1, order=2):
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)


def _cache(cache_dir, cache_subdir):
    return os.path.join(os.path.expanduser(cache_dir or os.environ.get("KERAS_HOME", "~/.keras")), cache_subdir)


def get_file(fname, origin, untar=False, md5_hash=None, file_hash=None, cache_subdir="datasets", hash_algorithm="auto", extract=False,
             archive_format="auto", cache_dir=None):
    """The path of a file that is already in the cache. Nothing is downloaded."""
    path = os.path.join(_cache(cache_dir, cache_subdir), fname)
    for found in ([path, path + ".tar.gz"] if untar else [path]):
        if os.path.exists(found):
            return path if os.path.exists(path) else found
    raise FileNotFoundError(f"{path} does not exist, and Weir downloads nothing. Copy {origin} to this path.")


class Sequence:
    """Base class of datasets whose batches are read by index."""

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError

    def on_epoch_end(self):
        pass

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]


class Progbar:
    """Prints how many of `target` steps are done, with averages of values."""

    def __init__(self, target, width=30, verbose=1, interval=0.05, stateful_metrics=None, unit_name="step"):
        self.target, self.width, self.verbose, self.interval, self.unit_name = target, width, verbose, interval, unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._values, self._seen, self._start, self._last, self._length = collections.OrderedDict(), 0, time.time(), 0, 0

    def update(self, current, values=None, finalize=None):
        finalize = self.target is not None and current >= self.target if finalize is None else finalize
        for name, value in values or []:
            if name in self.stateful_metrics:
                self._values[name] = [value, 1]
            else:
                total = self._values.setdefault(name, [0.0, 0])
                total[0] += value * (current - self._seen)
                total[1] += current - self._seen
        self._seen = current
        now = time.time()
        if self.verbose == 0 or now - self._last < self.interval and not finalize or self.verbose == 2 and not finalize:
            return
        self._last = now
        text = f"{current}/{self.target}" if self.target else f"{current}/Unknown"
        if self.verbose == 1 and self.target:
            done = int(self.width * current / self.target)
            text += " [" + "=" * done + (">" if done < self.width else "") + "." * (self.width - done - 1) + "]"
        each = (now - self._start) / current if current else 0
        text += f" - {now - self._start:.0f}s" if finalize else f" - ETA: {each * ((self.target or current) - current):.0f}s"
        for name, (total, count) in self._values.items():
            text += f" - {name}: {total / max(1, count):.4f}"
        sys.stdout.write(("\r" if self.verbose == 1 else "") + text.ljust(self._length) + ("\n" if finalize or self.verbose == 2 else ""))
        sys.stdout.flush()
        self._length = len(text)

    def add(self, n, values=None):
        self.update(self._seen + n, values)


# --- preprocessing.sequence
def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for x in sequences:
        if not hasattr(x, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {x}")
    lengths = [len(x) for x in sequences]
    maxlen = max(lengths, default=0) if maxlen is None else maxlen
    shape = next((np.asarray(x).shape[1:] for x in sequences if len(x)), ())
    is_text = np.issubdtype(dtype, np.str_)
    if isinstance(value, str) and dtype != object and not is_text:
        raise ValueError(f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\nYou should set `dtype=object` for variable length strings.")
    padded = np.full((len(lengths), maxlen) + shape, value, dtype=dtype)
    for i, x in enumerate(sequences):
        if not len(x):
            continue
        if truncating not in ("pre", "post"):
            raise ValueError(f'Truncating type "{truncating}" not understood')
        if padding not in ("pre", "post"):
            raise ValueError(f'Padding type "{padding}" not understood')
        kept = np.asarray(x[-maxlen:] if truncating == "pre" else x[:maxlen], dtype=dtype) if maxlen else np.zeros((0,) + shape, dtype)
        if kept.shape[1:] != shape:
            raise ValueError(f"Shape of sample {kept.shape[1:]} of sequence at position {i} is different from expected shape {shape}")
        if padding == "post":
            padded[i, :len(kept)] = kept
        elif len(kept):
            padded[i, -len(kept):] = kept
    return padded


# --- preprocessing.text
_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(text, filters=_FILTERS, lower=True, split=" "):
    text = text.lower() if lower else text
    return [word for word in text.translate(str.maketrans({c: split for c in filters})).split(split) if word]


class Tokenizer:
    """Assigns numbers to words, ordered by their frequency in the texts that it was fitted on."""

    def __init__(self, num_words=None, filters=_FILTERS, lower=True, split=" ", char_level=False, oov_token=None, document_count=0, **kwargs):
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.num_words, self.filters, self.lower, self.split, self.char_level = num_words, filters, lower, split, char_level
        self.oov_token, self.document_count = oov_token, document_count
        self.word_counts, self.word_docs = collections.OrderedDict(), collections.defaultdict(int)
        self.word_index, self.index_word, self.index_docs = {}, {}, collections.defaultdict(int)

    def _words(self, text):
        if self.char_level or isinstance(text, list):
            return [item.lower() for item in text] if self.lower else list(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts):
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ordered = [word for word, _ in sorted(self.word_counts.items(), key=lambda pair: pair[1], reverse=True)]
        ordered = ([] if self.oov_token is None else [self.oov_token]) + ordered
        self.word_index = {word: i + 1 for i, word in enumerate(ordered)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences):
        self.document_count += len(sequences)
        for sequence in sequences:
            for i in set(sequence):
                self.index_docs[i] += 1

    def texts_to_sequences(self, texts):
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts):
        unknown = self.word_index.get(self.oov_token)
        for text in texts:
            numbers = []
            for word in self._words(text):
                i = self.word_index.get(word)
                if i is None or self.num_words and i >= self.num_words:
                    i = unknown
                if i is not None:
                    numbers.append(i)
            yield numbers

    def sequences_to_texts(self, sequences):
        unknown = self.oov_token
        texts = []
        for sequence in sequences:
            words = [self.index_word.get(i) if not self.num_words or i < self.num_words else unknown for i in sequence]
            texts.append(" ".join(word if word is not None else unknown for word in words if word is not None or unknown is not None))
        return texts

    def texts_to_matrix(self, texts, mode="binary"):
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences, mode="binary"):
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.")
        width = self.num_words or len(self.word_index) + 1
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise ValueError("Unknown vectorization mode:", mode)
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        rows = np.zeros((len(sequences), width))
        for row, sequence in zip(rows, sequences):
            for i, count in collections.Counter(i for i in sequence if i < width).items():
                if mode == "binary":
                    row[i] = 1
                elif mode == "count":
                    row[i] = count
                elif mode == "freq":
                    row[i] = count / len(sequence)
                else:
                    row[i] = (1 + np.log(count)) * np.log(1 + self.document_count / (1 + self.index_docs.get(i, 0)))
        return rows


# --- datasets
def load_mnist(path="mnist.npz"):
    """Reads the local file ~/.keras/datasets/mnist.npz, or `path`."""
    found = path if os.path.exists(path) else get_file(path, "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz")
    with np.load(found, allow_pickle=True) as file:
        return (file["x_train"], file["y_train"]), (file["x_test"], file["y_test"])


def load_boston_housing(path="boston_housing.npz", test_split=0.2, seed=113):
    """Reads the local file ~/.keras/datasets/boston_housing.npz, or `path`."""
    found = path if os.path.exists(path) else get_file(path, "https://storage.googleapis.com/tensorflow/tf-keras-datasets/boston_housing.npz")
    with np.load(found, allow_pickle=True) as file:
        x, y = file["x"], file["y"]
    order = np.random.RandomState(seed).permutation(len(x))
    x, y = x[order], y[order]
    cut = int(len(x) * (1 - test_split))
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])
