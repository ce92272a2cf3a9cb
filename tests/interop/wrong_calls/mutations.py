"""Generates wrong calls from valid ones: each differs in one argument. Works on text and does not need TensorFlow."""
import ast

TENSORS = ("f", "d", "i", "l", "u", "b", "s", "z")
WORDS = TENSORS + ("t", "const", "var", "rvar", "v", "rv", "sp", "spi", "slices", "other", "out")


def parsed(text):
    return ast.parse(text, mode="eval").body


def is_call_of(node, words):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in words


def is_number(node, kind):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is kind


def shaped(word, shape):
    return "%s(%s)" % (word, ", ".join(map(str, shape)))


def wrong_shapes(shape):
    yield [1, *shape]
    if shape:
        yield shape[1:]
        yield [*shape[:-1], shape[-1] + 1]
    if len(shape) > 1:
        yield [shape[0] + 1, *shape[1:]]
        yield [*shape, 1]


def wrong_tensors(node):
    """Yields (text, whether to use it in both modes)."""
    word, arguments = node.func.id, [ast.literal_eval(argument) for argument in node.args]
    if word in ("t", "const", "var", "rvar"):
        dtype, shape, values = arguments
        for wrong in wrong_shapes(shape):
            yield "%s(%r, %r, %r)" % (word, dtype, wrong, values if values else [0]), True
        if dtype.startswith("int") and values:
            yield "%s(%r, %r, [-1])" % (word, dtype, shape), True
            yield "%s(%r, %r, [1000])" % (word, dtype, shape), True
        wrong = "int32" if dtype == "string" else "string"
        yield "%s(%r, %r, %r)" % (word, wrong, shape, [1] if wrong == "int32" else ["a"]), False
        wrong = "float32" if dtype.startswith("int") or dtype == "bool" else "int32"
        yield "%s(%r, %r, [1])" % (word, wrong, shape), False
        return
    for wrong in wrong_shapes(arguments):
        yield shaped(word, wrong), True
    for wrong in ("s" if word != "s" else "i", "i" if word in ("f", "d", "b") else "f", "d"):
        if wrong != word:
            yield shaped(wrong, arguments), False


def wrong_values(node):
    """Yields (text, whether to use it in both modes)."""
    if is_call_of(node, TENSORS + ("t", "const", "var", "rvar", "v", "rv")):
        yield from wrong_tensors(node)
        others = ["None", "'x'", "[]", "other()", "sp(2, 2)"]
    elif is_call_of(node, ("sp", "spi")):
        shape = [ast.literal_eval(argument) for argument in node.args]
        yield from ((shaped(node.func.id, wrong), False) for wrong in wrong_shapes(shape))
        others = ["None", "'x'", "f(2, 2)", "spi(2, 2)", "sp(2, 2)"]
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        others = ["None", "'x'", "[]"]
    elif is_number(node, int):
        others = ["-1", "0", "-3", "1000", "1.5", "None", "'x'", "[]"]
    elif is_number(node, float):
        others = ["-1.0", "None", "'x'", "[]"]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        others = ["'nonsense'", "''", "None", "1"]
    elif isinstance(node, ast.Attribute):
        others = ["tf.string", "tf.bool", "tf.complex64", "tf.resource", "None", "'nonsense'", "5"]
    elif isinstance(node, (ast.List, ast.Tuple)):
        others = ["[]", "None", "'x'", "other()"]
        if node.elts:
            items = [ast.unparse(item) for item in node.elts]
            others += ["[%s]" % ", ".join(items[:-1]), "[%s]" % ", ".join(items + items[-1:])]
            for index, item in list(enumerate(node.elts))[:4]:
                for text, both in list(wrong_values(item))[:8]:
                    yield "[%s]" % ", ".join([*items[:index], text, *items[index + 1:]]), both
    else:
        others = ["None", "'x'", "1.5", "[]"]
    text = ast.unparse(node)
    for other in others:
        if other != text:
            yield other, False


def calls(node):
    """Yields the calls in an expression, outermost first, except those of helper functions of vocabulary.py."""
    for found in ast.walk(node):
        if isinstance(found, ast.Call) and not is_call_of(found, WORDS):
            yield found


def has_tensor(node):
    return any(is_call_of(found, TENSORS + ("t",)) for found in ast.walk(node))


def wrong_calls(text):
    """Returns [(mode, text)] without duplicates, the valid call first. A `;` at the end excludes mode "fed"."""
    known_only = text.endswith(";")
    tree = parsed(text.rstrip(";"))
    modes = ("const",) if known_only or not has_tensor(tree) else ("const", "fed")
    found = [(mode, ast.unparse(tree)) for mode in modes]

    def add(both):
        found.extend((mode, ast.unparse(tree)) for mode in (modes if both else modes[:1]))

    def replace(items, index, wrap):
        right = items[index]
        for wrong, both in list(wrong_values(right.value if wrap else right)):
            items[index] = ast.keyword(right.arg, parsed(wrong)) if wrap else parsed(wrong)
            add(both)
        items[index] = right
        missing = items.pop(index)
        add(False)
        items.insert(index, missing)

    for call in list(calls(tree)):
        for index in range(len(call.args)):
            if not isinstance(call.args[index], (ast.Lambda, ast.Starred)):
                replace(call.args, index, False)
        for index in range(len(call.keywords)):
            if not isinstance(call.keywords[index].value, ast.Lambda):
                replace(call.keywords, index, True)
        for keyword, value in (("nonsense", "1"), ("name", "'not a name!'")):
            if all(given.arg != keyword for given in call.keywords):
                call.keywords.append(ast.keyword(keyword, parsed(value)))
                add(False)
                call.keywords.pop()
        if call.args:
            call.args += [ast.Constant(None)] * 30
            add(False)
            del call.args[-30:]
    return list(dict.fromkeys(found))
