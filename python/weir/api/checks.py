"""Assertions: tf.Assert, tf.assert_*, tf.debugging.*."""

_BOUND = [
    "Assert", "assert_equal", "assert_none_equal", "assert_less", "assert_less_equal", "assert_greater", "assert_greater_equal",
    "assert_negative", "assert_positive", "assert_non_negative", "assert_non_positive", "assert_near", "assert_rank",
    "assert_rank_in", "assert_rank_at_least", "assert_integer", "assert_type", "assert_scalar", "assert_same_float_dtype",
    "assert_proper_iterable", "is_numeric_tensor", "is_non_decreasing", "is_strictly_increasing",
]
_FINITE = "(t=None, msg=None, name=None, x->t, message->msg) verify_tensor_all_finite"

NAMES = {
    **{name: name for name in _BOUND},
    **{f"debugging.{name}": name for name in _BOUND},
    "debugging.assert_shapes": "weir.lib.assert_shapes:assert_shapes",
    "Print": "Print",
    "print": "weir.lib.printing:print_op",
    "add_check_numerics_ops": "add_check_numerics_ops",
    "verify_tensor_all_finite": _FINITE,
    "debugging.assert_all_finite": _FINITE,
    "debugging.check_numerics": "op:CheckNumerics",
    "debugging.is_finite": "op:IsFinite",
    "debugging.is_inf": "op:IsInf",
    "debugging.is_nan": "op:IsNan",
    "math.is_non_decreasing": "is_non_decreasing",
    "math.is_strictly_increasing": "is_strictly_increasing",
    "python.ops.check_ops.*": "=",
    "python.ops.logging_ops.Print": "Print",
}
