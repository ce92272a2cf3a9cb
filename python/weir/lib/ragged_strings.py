"""tf.strings functions with ragged results: code points, characters, bytes and n-grams."""
from weir import _weir
from weir.lib.ragged import RaggedTensor, tensor_or_ragged

_STRING = _weir.dtypes["string"]


def _op(op_type, *args, **kwargs):
    return _weir.op_function(op_type)(*args, **kwargs)


def _per_string(input, one):
    """Calls one(vector of strings), which returns tuples of ragged matrices, for strings of any shape."""
    input = tensor_or_ragged(input, _STRING)
    if isinstance(input, RaggedTensor):
        return tuple(input.with_flat_values(rows) for rows in one(input.flat_values))
    rank = input.shape.ndims
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 1:
        return one(input)
    if rank == 0:
        return tuple(rows.values for rows in one(_op("Reshape", input, [1])))
    nested = RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
    return _per_string(nested, one)


def _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, with_offsets):
    def one(strings):
        op = "UnicodeDecodeWithOffsets" if with_offsets else "UnicodeDecode"
        splits, *columns = _op(op, strings, input_encoding=input_encoding, errors=errors, replacement_char=replacement_char,
                               replace_control_characters=replace_control_characters)
        return tuple(RaggedTensor.from_row_splits(values, splits) for values in columns)

    return _per_string(input, one)


def unicode_decode(input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None):
    with _weir.name_scope(name, "UnicodeDecode"):
        return _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, False)[0]


def unicode_decode_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False,
                                name=None):
    with _weir.name_scope(name, "UnicodeDecodeWithOffsets"):
        return _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, True)


def _characters(codepoints):
    """Encodes each code point of a tensor or ragged tensor as a string."""
    if isinstance(codepoints, RaggedTensor):
        return codepoints.with_flat_values(_characters(codepoints.flat_values))
    count = _op("Shape", codepoints, out_type="int64")[0]
    return _op("UnicodeEncode", codepoints, _weir.range(count + 1), output_encoding="UTF-8", errors="ignore")


def unicode_split(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    with _weir.name_scope(name, "UnicodeSplit"):
        return _characters(unicode_decode(input, input_encoding, errors, replacement_char))


def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    with _weir.name_scope(name, "UnicodeSplitWithOffsets"):
        codepoints, offsets = unicode_decode_with_offsets(input, input_encoding, errors, replacement_char)
        return _characters(codepoints), offsets


def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):
    """Joins code points along the last dimension to strings."""
    with _weir.name_scope(name, "UnicodeEncode"):
        input = tensor_or_ragged(input)
        rank = input.shape.ndims
        if rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        if rank == 1:
            whole = RaggedTensor.from_row_splits(input, _weir.stack([0, _op("Shape", input)[0]]))
            return _op("Reshape", unicode_encode(whole, output_encoding, errors, replacement_char), [])
        if not isinstance(input, RaggedTensor):
            shape = _op("Shape", input)
            flat = RaggedTensor.from_tensor(_op("Reshape", input, _weir.stack([-1, shape[-1]]))) if rank > 2 else RaggedTensor.from_tensor(input)
            encoded = unicode_encode(flat, output_encoding, errors, replacement_char)
            return encoded if rank == 2 else _op("Reshape", encoded, shape[:-1])
        if isinstance(input.values, RaggedTensor):
            return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char))
        if input.values.shape.ndims != 1:
            return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char))
        return _op("UnicodeEncode", input.values, input.row_splits, output_encoding=output_encoding, errors=errors,
                   replacement_char=replacement_char)


def bytes_split(input, name=None):
    with _weir.name_scope(name, "StringsByteSplit"):
        def one(strings):
            sparse = _op("StringSplit", strings, "", skip_empty=False)
            indices, values, shape = sparse
            return (RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0]),)

        return _per_string(input, one)[0]


def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None):
    """Joins neighbouring strings of the innermost dimension."""
    with _weir.name_scope(name, "StringNGrams"):
        if pad_values is None:
            left = right = ""
        else:
            left, right = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else pad_values
            if not all(isinstance(pad, (str, bytes)) for pad in (left, right)):
                raise TypeError("pad_values must be a string, tuple of strings, or None.")
        if padding_width is not None and padding_width < 1:
            raise ValueError(f"padding_width must be greater than 0; got {padding_width}")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        widths = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0; got {ngram_width}")
        data = tensor_or_ragged(data, _STRING)
        rank = data.shape.ndims
        if not isinstance(data, RaggedTensor):
            if rank is None:
                raise ValueError("Rank of data must be known.")
            if rank == 0:
                raise ValueError("Data must have rank>0")
            if rank == 1:
                whole = RaggedTensor.from_row_splits(data, _weir.stack([0, _op("Shape", data)[0]]))
                return ngrams(whole, ngram_width, separator, pad_values, padding_width, preserve_short_sequences)[0]
            ragged = RaggedTensor.from_tensor(data, ragged_rank=rank - 1)
            found = ngrams(ragged, ngram_width, separator, pad_values, padding_width, preserve_short_sequences)
            # Rows of equal lengths have equally many n-grams.
            return found.to_tensor(default_value="")
        if data.flat_values.shape.ndims not in (None, 1):
            raise ValueError("the innermost dimension of the data must be ragged")
        if isinstance(data.values, RaggedTensor):
            return data.with_values(ngrams(data.values, ngram_width, separator, pad_values, padding_width, preserve_short_sequences))
        width = -1 if padding_width is None else padding_width
        made, splits = _op("StringNGrams", data.values, data.row_splits, separator=separator, ngram_widths=list(widths), left_pad=left,
                           right_pad=right, pad_width=0 if pad_values is None else width,
                           preserve_short_sequences=preserve_short_sequences)
        return RaggedTensor.from_row_splits(made, splits)
