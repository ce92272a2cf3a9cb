"""tf.debugging.assert_shapes."""
from weir import _weir

_REST = (..., "*")  # any number of dimensions, at the beginning or at the end
_ANY = (".", None)


def _symbols(shape):
    """Returns (symbols, where the rest is: None, "first" or "last")."""
    if isinstance(shape, _weir.TensorShape):
        shape = shape.as_list()
    if not isinstance(shape, (list, tuple, str)):
        raise ValueError(f"A shape must be a sequence of sizes and symbols, not {shape!r}")
    symbols = list(shape)
    if symbols and symbols[0] in _REST:
        return symbols[1:], "first"
    if symbols and symbols[-1] in _REST:
        return symbols[:-1], "last"
    if any(one in _REST for one in symbols):
        raise ValueError("Symbol `...` or `*` may only be the first or the last of a shape")
    return symbols, None


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Checks that sizes with the same symbol are equal, statically where they are known. Returns an op that checks the rest."""
    message = message or ""
    with _weir.name_scope(name, "assert_shapes"):
        pairs = shapes.items() if isinstance(shapes, dict) else shapes
        found, checks = {}, []
        for tensor, shape in pairs:
            tensor = _weir.convert_to_tensor(tensor)
            symbols, rest = _symbols(shape)
            rank = tensor.shape.ndims
            if rest is None:
                checks.append(_weir.assert_rank(tensor, len(symbols), data, summarize, message))
            else:
                checks.append(_weir.assert_rank_at_least(tensor, len(symbols), data, summarize, message))
            dims = tensor.shape.as_list() if rank is not None else None
            actual = _weir.op_function("Shape")(tensor)
            for i, symbol in enumerate(symbols):
                if symbol in _ANY:
                    continue
                at = i - len(symbols) if rest == "first" else i
                static = dims[at] if dims is not None else None
                size = static if static is not None else actual[at]
                wanted = symbol
                if not isinstance(symbol, int) and not (isinstance(symbol, str) and symbol.isdigit()):
                    if symbol not in found:
                        found[symbol] = (size, tensor)
                        continue
                    wanted = found[symbol][0]
                elif isinstance(symbol, str):
                    wanted = int(symbol)
                if isinstance(size, int) and isinstance(wanted, int):
                    if size != wanted:
                        raise ValueError(f"{message}.  Specified by tensor {tensor.name} dimension {at}.  Tensor {tensor.name} dimension {at} "
                                         f"must have size {wanted}.  Received size {size}, shape {tensor.shape}")
                    continue
                text = [message, f"Tensor {tensor.name} dimension {at} must have the size of symbol {symbol}.", "Sizes:", size, wanted]
                checks.append(_weir.Assert(_weir.op_function("Equal")(size, wanted), text if data is None else data, summarize))
        with _weir.control_dependencies([check for check in checks if check is not None]):
            return _weir.op_function("NoOp")()
