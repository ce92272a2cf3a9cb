"""Random steps: a program is generated from a seed as plain data, then built with Weir or TensorFlow and evaluated with
numpy.

A program has variables, statements (arithmetic, aliases, conds, loops, TensorArrays, reads and updates) and gradients.
Two kinds:
- ordered: every update waits for all earlier uses, and every later use waits for it. Both libraries must agree with the
  sequential evaluation.
- racy: updates and uses are ordered only by the data flow and control edges of the program. Only Weir defines the
  result: a use that is not ordered after an update sees the value from before it.
"""
import random

import numpy as np

SHAPES = [(), (3,), (3, 3)]
UNARY = ["tanh", "sin", "sigmoid", "negative", "half_square", "abs"]
BINARY = ["add", "multiply", "subtract", "maximum"]
ALIASES = ["identity", "reshape", "stop_gradient", "slice", "expand"]


# ---- generating ----

class Drawer:
    """Generates one program. Names of values are unique in the whole program."""

    def __init__(self, seed, racy, max_updates, flow):
        self.rng = random.Random(seed)
        self.racy = racy
        self.max_updates = max_updates
        self.with_flow = flow
        self.count = 0

    def name(self):
        self.count += 1
        return f"t{self.count}"

    def pick(self, scope, shape):
        names = [n for n, s in scope.items() if s == shape]
        return self.rng.choice(names) if names else None

    def constant(self, scope, out):
        shape = self.rng.choice(SHAPES)
        name = self.name()
        size = int(np.prod(shape))
        values = [round(self.rng.uniform(-1, 1), 3) for _ in range(size)]
        out.append({"k": "const", "value": values, "shape": shape, "out": name})
        scope[name] = shape

    def simple(self, scope, out):
        """Adds one statement without control flow."""
        rng = self.rng
        kind = rng.choice(["un", "bin", "bin", "sum", "alias", "matmul", "const", "broadcast"])
        name = self.name()
        a = rng.choice(list(scope))
        shape = scope[a]
        if kind == "un":
            out.append({"k": "un", "f": rng.choice(UNARY), "a": a, "out": name})
        elif kind == "bin":
            b = self.pick(scope, shape)
            out.append({"k": "bin", "f": rng.choice(BINARY), "a": a, "b": b, "out": name})
        elif kind == "alias" and shape != ():
            out.append({"k": "alias", "f": rng.choice(ALIASES), "a": a, "out": name})
        elif kind == "sum" and shape != ():
            out.append({"k": "sum", "a": a, "out": name})
            shape = ()
        elif kind == "matmul" and shape == (3, 3):
            out.append({"k": "matmul", "a": a, "b": self.pick(scope, (3, 3)), "out": name})
        elif kind == "broadcast" and shape != ():
            b = self.pick(scope, ())
            if b is None:
                return self.constant(scope, out)
            out.append({"k": "bin", "f": rng.choice(BINARY), "a": a, "b": b, "out": name})
        else:
            return self.constant(scope, out)
        scope[name] = shape

    def block(self, scope, size, depth):
        """Returns the scope extended by the new names, and the statements, which can use `scope`."""
        inner = dict(scope)
        out = []
        for _ in range(size):
            if depth > 0 and self.rng.random() < 0.15:
                self.flow(inner, out, depth - 1)
            else:
                self.simple(inner, out)
        return inner, out

    def result(self, scope, inner, shape):
        """Returns a name of a value of `shape`, a new one if possible."""
        new = [n for n, s in inner.items() if s == shape and n not in scope]
        return self.rng.choice(new) if new else self.pick(inner, shape)

    def flow(self, scope, out, depth):
        rng = self.rng
        shape = rng.choice([s for s in SHAPES if self.pick(scope, s)])
        kind = rng.choice(["cond", "while", "while", "array"])
        size = rng.randint(1, 4)
        if kind == "cond":
            name = self.name()
            then_scope, then = self.block(scope, size, depth)
            else_scope, other = self.block(scope, size, depth)
            out.append({"k": "cond", "test": rng.choice(list(scope)), "then": then, "else": other,
                        "results": [self.result(scope, then_scope, shape), self.result(scope, else_scope, shape)],
                        "out": name})
            scope[name] = shape
            return
        init = [self.pick(scope, shape)]
        second = rng.choice([s for s in SHAPES if self.pick(scope, s)])
        init.append(self.pick(scope, second))
        variables = [self.name(), self.name()]
        inside = dict(scope)
        inside.update(zip(variables, (shape, second)))
        body_scope, body = self.block(inside, size, depth)
        # Loop variables are squashed, so that values stay small.
        nexts = [self.result(inside, body_scope, s) for s in (shape, second)]
        outs = [self.name(), self.name()]
        out.append({"k": kind, "turns": rng.randint(0, 4), "init": init, "variables": variables, "body": body,
                    "next": nexts, "swap": rng.random() < 0.2, "out": outs})
        scope[outs[0]] = shape
        scope[outs[1]] = second if kind == "while" else ()
        if kind == "array":
            out[-1]["element"] = nexts[1]

    def read(self, scope, out, variables):
        v = self.rng.randrange(len(variables))
        name = self.name()
        out.append({"k": "read", "v": v, "out": name})
        scope[name] = variables[v]["shape"]

    def draw(self):
        rng = self.rng
        variables = []
        for _ in range(rng.randint(1, 4)):
            shape = rng.choice(SHAPES)
            values = [round(rng.uniform(-1, 1), 3) for _ in range(int(np.prod(shape)))]
            variables.append({"shape": shape, "value": values, "resource": rng.random() < 0.4})
        out, scope = [], {}
        for _ in variables:
            self.read(scope, out, variables)
        self.constant(scope, out)
        updates = 0
        for _ in range(rng.randint(10, 40)):
            chance = rng.random()
            if chance < 0.12:
                self.read(scope, out, variables)
            elif chance < 0.24 and updates < self.max_updates:
                updates += self.update(scope, out, variables)
            elif chance < 0.34 and self.with_flow:
                self.flow(scope, out, 1)
            else:
                self.simple(scope, out)
        return {"variables": variables, "statements": out, "scope": scope, "gradients": self.gradients(scope, out)}

    def update(self, scope, out, variables):
        rng = self.rng
        v = rng.randrange(len(variables))
        a = self.pick(scope, variables[v]["shape"])
        if a is None:
            return 0
        name = self.name()
        f = rng.choice(["assign", "assign_add", "assign_sub"])
        statement = {"k": "update", "v": v, "f": f, "a": a, "out": name, "after": []}
        if self.racy:
            # Control edges: from the previous update of the variable (added later), and from none or a few values.
            statement["after"] = rng.sample(list(scope), min(len(scope), rng.choice([0, 0, 0, 1, 2])))
        out.append(statement)
        if rng.random() < 0.5:  # a use that is ordered after the update
            late = self.name()
            source = self.pick(scope, variables[v]["shape"])
            out.append({"k": "after", "update": name, "a": source, "out": late})
            scope[late] = variables[v]["shape"]
        return 1

    def gradients(self, scope, out):
        """Chooses the gradients: of a sum of some values with respect to reads, constants or intermediate values."""
        rng = self.rng
        if rng.random() < 0.15:
            return None
        late = list(scope)[len(scope) // 2:]
        ys = rng.sample(late, min(len(late), rng.randint(1, 3)))
        before = ancestors(out, ys)
        xs = [s["out"] for s in out if s["k"] in ("read", "const", "alias", "un", "bin") and
              s["out"] in before]
        xs = rng.sample(xs, min(len(xs), rng.randint(1, 4)))
        if not xs or rng.random() < 0.1:
            xs.append(rng.choice(list(scope)))
        stops = [rng.choice(list(scope))] if rng.random() < 0.25 else []
        return {"ys": ys, "xs": xs, "stops": [s for s in stops if s not in ys], "grad_ys": rng.random() < 0.3,
                "again": rng.random() < 0.6, "unconnected": rng.choice(["none", "zero"])}


def ancestors(statements, names):
    """Returns the names of all values from which `names` are computed."""
    found = set(names)
    for s in reversed(statements):
        if s["k"] not in ("read", "update") and any(name in found for name in outs_of(s)):
            found |= inputs_of(s)
    return found


def draw(seed, racy=False, max_updates=6, flow=True):
    return Drawer(seed, racy, max_updates, flow).draw()


# ---- building, with either library as `tf` ----

class Builder:
    def __init__(self, tf, program, racy, devices=()):
        self.tf = tf
        self.program = program
        self.racy = racy
        self.devices = devices
        self.variables = []
        for i, v in enumerate(program["variables"]):
            with self.on(i):
                value = np.reshape(np.array(v["value"], np.float64), v["shape"])
                self.variables.append(
                    tf.Variable(value, dtype=tf.float64, use_resource=v["resource"], name=f"v{i}"))
        self.uses = [[] for _ in self.variables]   # indexed by variable: ops that used its memory since its last update
        self.last_update = [None] * len(self.variables)
        self.updates = {}

    def on(self, number):
        """Spreads statements and variables over the devices."""
        placed = self.devices and number is not None
        return self.tf.device(self.devices[number % len(self.devices)] if placed else None)

    def place(self, s, number, env):
        """Places an alias of a variable on the task of the variable."""
        if self.devices and s["k"] == "alias":
            return self.tf.colocate_with(env[s["a"]].op)
        return self.on({"read": s.get("v"), "update": None}.get(s["k"], number))

    def build(self):
        env = {}
        for number, s in enumerate(self.program["statements"]):
            with self.place(s, number, env):
                self.statement(s, env)
        return env

    def ordered_after(self, ops):
        return self.tf.control_dependencies([op for op in ops if op is not None])

    def statement(self, s, env):
        tf = self.tf
        k = s["k"]
        if k == "read":
            v = s["v"]
            with self.ordered_after([] if self.racy else [self.last_update[v]]):
                read = self.variables[v].read_value()
                # In an ordered program, only this op may use the memory of the variable, so the value is copied.
                env[s["out"]] = read if self.racy else read + tf.constant(0.0, tf.float64)
            self.uses[v].append(env[s["out"]].op)
        elif k == "update":
            v = s["v"]
            after = [self.last_update[v]] + [env[a].op for a in s["after"]]
            if not self.racy:
                after += self.uses[v]
            with self.ordered_after(after):
                update = getattr(tf, s["f"])(self.variables[v], env[s["a"]])
            op = update if isinstance(update, tf.Operation) else update.op
            self.last_update[v] = self.updates[s["out"]] = op
            self.uses[v] = []
        elif k == "after":
            with self.ordered_after([self.updates[s["update"]]]):
                env[s["out"]] = env[s["a"]] + tf.constant(0.0, tf.float64)
        else:
            self.plain(s, env)

    def plain(self, s, env):
        tf = self.tf
        k = s["k"]
        a = env.get(s.get("a"))
        if k == "const":
            env[s["out"]] = tf.constant(np.reshape(np.array(s["value"], np.float64), s["shape"]))
        elif k == "un":
            f = s["f"]
            env[s["out"]] = 0.5 * tf.square(a) if f == "half_square" else getattr(tf, f)(a)
            if f in ("half_square",):
                env[s["out"]] = tf.tanh(env[s["out"]])
        elif k == "bin":
            result = getattr(tf, s["f"])(a, env[s["b"]])
            env[s["out"]] = tf.tanh(result) if s["f"] == "multiply" else result * 0.75
        elif k == "sum":
            env[s["out"]] = tf.reduce_sum(a) * 0.25
        elif k == "matmul":
            env[s["out"]] = tf.matmul(a, env[s["b"]]) * 0.3
        elif k == "alias":
            env[s["out"]] = self.alias(s["f"], a)
        elif k == "cond":
            env[s["out"]] = tf.cond(tf.reduce_sum(env[s["test"]]) > 0.1,
                                    lambda: self.block(s["then"], s["results"][0], env),
                                    lambda: self.block(s["else"], s["results"][1], env))
        elif k == "while":
            self.loop(s, env)
        elif k == "array":
            self.array(s, env)

    def alias(self, f, a):
        tf = self.tf
        if f == "identity":
            return tf.identity(a)
        if f == "stop_gradient":
            return tf.stop_gradient(a)
        if f == "reshape":
            return tf.reshape(tf.reshape(a, [-1]), a.shape.as_list())
        if f == "slice":
            return a[0:3]
        return tf.squeeze(tf.expand_dims(a, 0), [0])

    def block(self, statements, result, env):
        inner = dict(env)
        for s in statements:
            self.plain(s, inner)
        return self.own(inner[result])

    def body(self, s, values, env):
        inner = dict(env)
        inner.update(zip(s["variables"], values))
        for statement in s["body"]:
            self.plain(statement, inner)
        return inner

    def own(self, value):
        """Copies inputs and results of loops, and results of conds, so that they do not share memory with a
        variable."""
        return value * 1.0 if self.racy else self.tf.identity(value)

    def loop(self, s, env):
        tf = self.tf

        def turn(i, a, b):
            inner = self.body(s, (a, b), env)
            return i + 1, tf.tanh(inner[s["next"][0]]), self.own(inner[s["next"][1]])

        first, second = (self.own(env[n]) for n in s["init"])
        _, x, y = tf.while_loop(lambda i, a, b: i < s["turns"], turn, [tf.constant(0), first, second],
                                swap_memory=s["swap"])
        env[s["out"][0]], env[s["out"][1]] = x, y

    def array(self, s, env):
        tf = self.tf
        first, second = (self.own(env[n]) for n in s["init"])
        kept = tf.TensorArray(tf.float64, size=s["turns"], element_shape=second.shape)

        def turn(i, a, b, array):
            inner = self.body(s, (a, b), env)
            element = tf.identity(inner[s["next"][1]])
            return i + 1, tf.tanh(inner[s["next"][0]]), element, array.write(i, element)

        _, x, _, kept = tf.while_loop(lambda i, *_: i < s["turns"], turn, [tf.constant(0), first, second, kept],
                                      swap_memory=s["swap"])
        env[s["out"][0]] = x
        if s["turns"]:
            total = tf.reduce_sum(kept.stack() * 0.5)
        else:  # an empty array cannot be stacked
            with tf.control_dependencies([kept.flow]):
                total = tf.constant(0.0, tf.float64)
        env[s["out"][1]] = total

    def gradients(self, env):
        """Returns the gradients as tensors (None stays None), and the gradients of a sum of those."""
        tf = self.tf
        g = self.program["gradients"]
        if g is None:
            return []
        ys = [env[y] for y in g["ys"]]
        xs = [env[x] for x in g["xs"]]
        seeds = [tf.ones_like(y) * 0.5 for y in ys] if g["grad_ys"] else None
        zero = tf.UnconnectedGradients.ZERO if g["unconnected"] == "zero" else tf.UnconnectedGradients.NONE
        first = tf.gradients(ys, xs, grad_ys=seeds, stop_gradients=[env[s] for s in g["stops"]] or None,
                             unconnected_gradients=zero)
        result = list(first)
        known = [d for d in first if d is not None]
        if known and g["again"]:
            total = tf.add_n([tf.reduce_sum(y) for y in ys]) + tf.stop_gradient(
                tf.add_n([tf.reduce_sum(d) for d in known]))
            result += tf.gradients(total, xs)
            try:  # neither library differentiates a loop twice
                result += tf.gradients(tf.add_n([tf.reduce_sum(tf.tanh(d)) for d in known]), xs)
            except TypeError as error:
                result.append(type(error).__name__)
        return result


def run(tf, program, racy=False, config=None, target="", devices=()):
    """Runs a program with Weir or TensorFlow. Returns (values of the scope, gradients, variables after the step).

    A gradient is an array, None, or the name of an error class. Gradients are computed in a separate step."""
    with tf.Graph().as_default():
        builder = Builder(tf, program, racy, devices)
        env = builder.build()
        names = list(program["scope"])
        initializer = tf.global_variables_initializer()  # built first: an error below may leave TensorFlow in a loop context
        grads = [] if racy else builder.gradients(env)
        with tf.Session(target, config=config) as sess:
            sess.run(initializer)
            tensors = [g for g in grads if g is not None and not isinstance(g, str)]
            computed = iter(sess.run(tensors))
            grads = [g if g is None or isinstance(g, str) else np.asarray(next(computed)) for g in grads]
            sess.run(initializer)
            values, _ = sess.run([[env[n] for n in names], list(builder.updates.values())])
            return dict(zip(names, map(np.asarray, values))), grads, sess.run(builder.variables)


# ---- evaluating, with numpy ----

class View:
    """A value that shares the memory of a reference variable, so it depends on when it is read."""

    def __init__(self, variable, is_identity=True):
        self.variable = variable
        self.is_identity = is_identity  # Identity of the variable: a fetch reads it after all updates


class Evaluator:
    """Evaluates a program in order. In a racy program, a use sees the updates that it is ordered after; a loop is one
    use."""

    def __init__(self, program, racy, moved=None):
        self.program = program
        self.racy = racy
        self.moved = moved
        start = [np.reshape(np.array(v["value"], np.float64), v["shape"]) for v in program["variables"]]
        self.states = [[value] for value in start]  # indexed by variable: its values after 0, 1, ... updates
        self.zero = [0] * len(start)
        self.seen = {}     # keyed by name: how many updates of each variable it is ordered after
        self.updates = {}  # keyed by name of an update: how many updates of each variable it is ordered after
        self.last = [self.zero] * len(start)  # the same for the last update of each variable

    @staticmethod
    def join(*seen):
        return [max(column) for column in zip(*seen)]

    def look(self, value, seen):
        return self.states[value.variable][seen[value.variable]] if isinstance(value, View) else value

    def run(self):
        env = {}
        for s in self.program["statements"]:
            self.statement(s, env, self.zero)
            if self.moved is not None and s["out"] == self.moved[0]:
                moved = np.array(env[s["out"]])
                moved[self.moved[1]] += self.moved[2]
                env[s["out"]] = moved
        values = {}
        for name in self.program["scope"]:
            value = env[name]
            last = isinstance(value, View) and value.is_identity
            values[name] = self.states[value.variable][-1] if last else self.look(value, self.seen[name])
        return values, [states[-1] for states in self.states]

    def statement(self, s, env, base, outs=None):
        """Evaluates one statement. `base`: the updates that the whole branch is ordered after; `outs`: the results to
        compute."""
        k = s["k"]
        if k == "read":
            v = s["v"]
            self.seen[s["out"]] = base
            if self.racy and not self.program["variables"][v]["resource"]:
                env[s["out"]] = View(v)
            else:
                env[s["out"]] = self.states[v][0 if self.racy else -1]
        elif k == "update":
            self.update(s, env)
        elif k == "cond":
            self.cond(s, env, base)
        else:
            seen = self.join(base, *(self.seen[n] for n in inputs_of(s, outs)))
            if k == "after":
                seen = self.join(seen, self.updates[s["update"]])
                env[s["out"]] = self.look(env[s["a"]], seen)
            elif k == "alias":
                a = env[s["a"]]
                identity = s["f"] == "identity"
                env[s["out"]] = View(a.variable, a.is_identity and identity) if isinstance(a, View) else a
            elif k in ("while", "array"):
                # The initial values of a loop are read outside of it.
                start = [self.look(env[n], self.join(base, self.seen[n])) for n in s["init"]]
                loop(s, LazyEnvironment(env, lambda value: self.look(value, seen)), start)
            else:
                plain(s, LazyEnvironment(env, lambda value: self.look(value, seen)))
            for name in outs_of(s):
                self.seen[name] = seen

    def cond(self, s, env, base):
        inside = self.join(base, self.seen[s["test"]])
        taken = bool(np.sum(self.look(env[s["test"]], inside)) > 0.1)
        seen, value = inside, None
        for branch, result, is_taken in (("then", s["results"][0], taken), ("else", s["results"][1], not taken)):
            inner = dict(env)
            needed = live_in(s[branch], [result])[1]
            for number, statement in enumerate(s[branch]):
                self.statement(statement, inner, inside, needed.get(number))
            seen = self.join(seen, self.seen[result])
            if is_taken:
                value = self.look(inner[result], self.join(inside, self.seen[result]))
        env[s["out"]] = value
        self.seen[s["out"]] = seen

    def update(self, s, env):
        v = s["v"]
        seen = self.join(self.seen[s["a"]], *(self.seen[n] for n in s["after"]), self.last[v])
        operand = self.look(env[s["a"]], seen)
        now = self.states[v][-1]
        self.states[v].append({"assign": operand, "assign_add": now + operand, "assign_sub": now - operand}[s["f"]])
        seen[v] = len(self.states[v]) - 1
        self.updates[s["out"]] = self.last[v] = seen


class LazyEnvironment(dict):
    """An environment that reads its values when they are accessed."""

    def __init__(self, env, look):
        super().__init__()
        self.env = env
        self.look = look

    def __getitem__(self, name):
        return self.look(self.env[name])

    def __setitem__(self, name, value):
        self.env[name] = value

    def copy(self):
        return LazyEnvironment(dict(self.env), self.look)


def outs_of(s):
    return s["out"] if isinstance(s["out"], list) else [s["out"]]


def live_in(statements, names):
    """Returns (the inputs that `names` need, the needed results by number of the statement)."""
    live, needed = set(names), {}
    for number in range(len(statements) - 1, -1, -1):
        outs = [n for n in outs_of(statements[number]) if n in live]
        if outs:
            needed[number] = outs
            live |= inputs_of(statements[number], outs)
    return live, needed


def inputs_of(s, outs=None):
    """Returns the names that a statement uses from outside, for some or all of its results."""
    outs = outs_of(s) if outs is None else outs
    if s["k"] == "cond":
        live = {s["test"]}
        for branch, result in (("then", s["results"][0]), ("else", s["results"][1])):
            live |= live_in(s[branch], [result])[0] - made_by(s[branch])
        return live
    if s["k"] not in ("while", "array"):
        return {s[key] for key in ("a", "b") if s.get(key)}
    # The needed loop variables, and those that they depend on.
    wanted = [i for i in (0, 1) if s["out"][i] in outs]
    turning = {i for i in wanted if i == 0 or s["k"] == "while"}
    names = {s["next"][i] for i in wanted}
    while True:
        live = live_in(s["body"], names | {s["next"][i] for i in turning})[0]
        more = {i for i in (0, 1) if s["variables"][i] in live} - turning
        if not more:
            break
        turning |= more
    return (live - made_by(s["body"]) - set(s["variables"])) | {s["init"][i] for i in turning}


def made_by(statements):
    return {name for s in statements for name in outs_of(s)}


def plain(s, env):
    k = s["k"]
    if k == "const":
        env[s["out"]] = np.reshape(np.array(s["value"], np.float64), s["shape"])
    elif k == "un":
        a = env[s["a"]]
        env[s["out"]] = {"tanh": np.tanh, "sin": np.sin, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
                         "negative": np.negative, "half_square": lambda x: np.tanh(0.5 * x * x),
                         "abs": np.abs}[s["f"]](a)
    elif k == "bin":
        result = getattr(np, s["f"])(env[s["a"]], env[s["b"]])
        env[s["out"]] = np.tanh(result) if s["f"] == "multiply" else result * 0.75
    elif k == "sum":
        env[s["out"]] = np.sum(env[s["a"]]) * 0.25
    elif k == "matmul":
        env[s["out"]] = env[s["a"]] @ env[s["b"]] * 0.3
    elif k == "alias":
        env[s["out"]] = env[s["a"]]
    elif k == "cond":
        taken = bool(np.sum(env[s["test"]]) > 0.1)
        inner = env.copy()
        for statement in s["then" if taken else "else"]:
            plain(statement, inner)
        env[s["out"]] = inner[s["results"][0 if taken else 1]]
    else:
        loop(s, env, [env[n] for n in s["init"]])


def loop(s, env, start):
    a, b = start
    elements = []
    for _ in range(s["turns"]):
        inner = env.copy()
        inner[s["variables"][0]], inner[s["variables"][1]] = a, b
        for statement in s["body"]:
            plain(statement, inner)
        a, b = np.tanh(inner[s["next"][0]]), inner[s["next"][1]]
        elements.append(b)
    env[s["out"][0]] = a
    if s["k"] == "while":
        env[s["out"][1]] = b
    else:
        env[s["out"][1]] = np.sum(elements) * 0.5 if elements else np.float64(0)


def stops_gradients(statements):
    return any(s.get("f") == "stop_gradient" or any(stops_gradients(s.get(k, [])) for k in ("then", "else", "body"))
               for s in statements)


def evaluate(program, racy=False, moved=None):
    """Returns (values of the scope, variables after the step). `moved`: a value, an index and a number to add there."""
    return Evaluator(program, racy, moved).run()
