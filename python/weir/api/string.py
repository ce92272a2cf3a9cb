"""Strings: tf.string_* and tf.strings.*."""

_OPS = {
    "as_string": "AsString", "string_strip": "StringStrip", "decode_base64": "DecodeBase64", "encode_base64": "EncodeBase64",
    "string_to_hash_bucket_fast": "StringToHashBucketFast", "string_to_hash_bucket_strong": "StringToHashBucketStrong",
    "regex_replace": "RegexReplace",
}

NAMES = {
    **{name: f"op:{op}" for name, op in _OPS.items()},
    "string_join": "(inputs, separator='', name=None) op:StringJoin",
    "string_split": "(source, sep=None, skip_empty=True, delimiter->sep, result_type!='SparseTensor', name=None) string_split",
    "string_to_hash_bucket": "(string_tensor=None, num_buckets=None, name=None, input->string_tensor) op:StringToHashBucket",
    "string_to_number": "(string_tensor=None, out_type='float32', name=None, input->string_tensor) op:StringToNumber",
    "substr": "(input, pos, len, name=None, unit='BYTE') op:Substr",
    "reduce_join": "(inputs, axis=None, keepdims=False, separator='', name=None, reduction_indices->axis, keep_dims->keepdims) reduce_join",
    "decode_raw": "(input_bytes=None, out_type=None, little_endian=True, name=None, bytes->input_bytes) op:DecodeRaw[bytes=input_bytes]",
    "strings.as_string": "=as_string",
    "strings.join": "=string_join",
    "strings.length": "(input, name=None, unit='BYTE') op:StringLength",
    "strings.lower": "op:StringLower",
    "strings.upper": "op:StringUpper",
    "strings.reduce_join": "=reduce_join",
    "strings.regex_full_match": "op:RegexFullMatch",
    "strings.regex_replace": "=regex_replace",
    "strings.split": "(input=None, sep=None, maxsplit=-1, result_type!='SparseTensor', source->input, name=None) string_split_v2",
    "strings.strip": "=string_strip",
    "strings.substr": "=substr",
    "strings.to_hash_bucket": "=string_to_hash_bucket",
    "strings.to_hash_bucket_fast": "=string_to_hash_bucket_fast",
    "strings.to_hash_bucket_strong": "=string_to_hash_bucket_strong",
    "strings.to_number": "=string_to_number",
    "dtypes.as_string": "=as_string",
    "io.decode_raw": "=decode_raw",
    "io.decode_base64": "=decode_base64",
    "io.encode_base64": "=encode_base64",
    "python.ops.string_ops.*": "=",
}
