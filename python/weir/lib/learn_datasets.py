"""tensorflow.contrib.learn.python.learn.datasets.base: data sets in CSV files, and files that are downloaded once."""
import collections
import csv
import os
import urllib.request

import numpy as np

from weir.lib import gfile

Dataset = collections.namedtuple("Dataset", ["data", "target"])
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


def _rows(reader, target_dtype, features_dtype, target_column):
    data, target = [], []
    for row in reader:
        target.append(np.asarray(row.pop(target_column), dtype=target_dtype))
        data.append(np.asarray(row, dtype=features_dtype))
    return data, target


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """Reads a CSV file. Its first line starts with the numbers of rows and features."""
    with gfile.GFile(filename) as file:
        reader = csv.reader(file)
        header = next(reader)
        rows, features = int(header[0]), int(header[1])
        data, target = _rows(reader, target_dtype, features_dtype, target_column)
    if len(data) != rows or any(len(row) != features for row in data):
        raise ValueError(f"{filename}: the header says {rows} rows of {features} features; found {len(data)} rows")
    return Dataset(data=np.array(data, dtype=features_dtype), target=np.array(target, dtype=target_dtype))


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    with gfile.GFile(filename) as file:
        data, target = _rows(csv.reader(file), target_dtype, features_dtype, target_column)
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def shrink_csv(filename, ratio):
    """Writes every ratio-th row to a file with "_small" in its name."""
    with gfile.GFile(filename) as file, gfile.GFile(filename.replace(".", "_small."), "w") as small:
        csv.writer(small).writerows(row for i, row in enumerate(csv.reader(file)) if i % ratio == 0)


def urlretrieve_with_retry(url, filename=None):
    return urllib.request.urlretrieve(url, filename)


def maybe_download(filename, work_directory, source_url):
    """Returns the path of a file in a folder, and downloads it if it is not there."""
    if not gfile.exists(work_directory):
        gfile.make_dirs(work_directory)
    path = os.path.join(work_directory, filename)
    if not gfile.exists(path):
        downloaded, _ = urlretrieve_with_retry(source_url)
        gfile.copy(downloaded, path)
        print("Successfully downloaded", filename, gfile.stat(path).length, "bytes.")
    return path
