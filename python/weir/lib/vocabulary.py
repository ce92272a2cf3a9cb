"""tf.contrib.learn.preprocessing: vocabularies of words and of categories."""
import collections
import pickle
import re

import numpy as np

_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator):
    """Yields the words of each text."""
    for text in iterator:
        yield _WORD.findall(text)


class CategoricalVocabulary:
    """Numbers for categories. Number 0 is that of unknown categories."""

    def __init__(self, unknown_token="<UNK>", support_reverse=True):
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping = {unknown_token: 0}
        self._freq = collections.defaultdict(int)
        self._reverse_mapping = [unknown_token]
        self._freeze = False

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        """While frozen, new categories are unknown."""
        self._freeze = freeze

    def get(self, category):
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category, count=1):
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency, max_frequency=-1):
        """Removes categories that are too rare or too frequent, and sorts the others by frequency."""
        kept = sorted(sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0])), key=lambda item: item[1], reverse=True)
        kept = [(c, n) for c, n in kept if n > min_frequency and (max_frequency < 0 or n < max_frequency)]
        self._freq = collections.defaultdict(int, kept)
        self._mapping = {self._unknown_token: 0, **{c: i for i, (c, _) in enumerate(kept, 1)}}
        self._reverse_mapping = [self._unknown_token, *(c for c, _ in kept)] if self._support_reverse else self._reverse_mapping

    def reverse(self, class_id):
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


class ByteProcessor:
    """Maps texts to arrays of their bytes."""

    def __init__(self, max_document_length):
        self.max_document_length = max_document_length

    def fit(self, x):
        return self

    def fit_transform(self, x):
        return self.transform(x)

    def reverse(self, x):
        for document in x:
            yield bytes(int(b) for b in document).decode("utf-8")

    def transform(self, x):
        for document in x:
            data = document.encode("utf-8") if isinstance(document, str) else document
            array = np.frombuffer(data, np.uint8)[:self.max_document_length]
            yield np.pad(array, (0, self.max_document_length - len(array)))


class VocabularyProcessor:
    """Maps texts to arrays of the numbers of their words."""

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary if vocabulary is not None else CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        """Learns the words of the documents."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        """Yields the numbers of each document's words, cut or padded with zeros to max_document_length."""
        for tokens in self._tokenizer(raw_documents):
            ids = np.zeros(self.max_document_length, np.int64)
            for i, token in enumerate(tokens[:self.max_document_length]):
                ids[i] = self.vocabulary_.get(token)
            yield ids

    def reverse(self, documents):
        """Yields the text of each array of numbers: its words, joined with spaces."""
        for ids in documents:
            yield " ".join(self.vocabulary_.reverse(i) for i in ids)

    def save(self, filename):
        from weir._names import find
        with find("gfile.GFile")(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename):
        from weir._names import find
        with find("gfile.GFile")(filename, "rb") as file:
            return pickle.loads(file.read())
