"""Failures of threads, hooks and programs in monitored sessions: which errors cause recovery, and which are raised."""
import itertools

CASES = {}
ERRORS = {
    "AbortedError": lambda tf: tf.errors.AbortedError(None, None, "x"),
    "UnavailableError": lambda tf: tf.errors.UnavailableError(None, None, "x"),
    "OutOfRangeError": lambda tf: tf.errors.OutOfRangeError(None, None, "x"),
    "CancelledError": lambda tf: tf.errors.CancelledError(None, None, "x"),
    "InternalError": lambda tf: tf.errors.InternalError(None, None, "x"),
    "RuntimeError": lambda tf: RuntimeError("x"),
    "StopIteration": lambda tf: StopIteration("x"),
    "no error": lambda tf: None,
}


def recorder(tf):
    class Recorder(tf.train.SessionRunHook):
        """Records its calls. `fail` maps a call to a function that may raise."""

        def __init__(self, **fail):
            self.calls, self.fail = [], fail

        def note(self, name):
            self.calls.append(name)
            if name in self.fail:
                self.fail[name](self)

        def begin(self):
            self.note("begin")

        def after_create_session(self, session, coord):
            self.coord = coord
            self.note("created")

        def before_run(self, run_context):
            self.note("before")

        def after_run(self, run_context, run_values):
            self.context = run_context
            self.note("after")

        def end(self, session):
            self.note("end")
    return Recorder


class Sessions:
    """A session creator that counts its sessions."""

    def __init__(self, tf):
        self.tf, self.count = tf, 0

    def create_session(self):
        self.count += 1
        return self.tf.Session(graph=self.tf.get_default_graph())


def start(tf, kind, hook):
    if kind == "singular":
        return tf.train.SingularMonitoredSession([hook]), None
    sessions = Sessions(tf)
    return tf.train.MonitoredSession(sessions, [hook]), sessions


def report(coord, error):
    """Reports the error to the coordinator, as a thread does."""
    if error is None:
        coord.request_stop()
        return
    try:
        raise error
    except BaseException as raised:
        coord.request_stop(raised)


def outcome(call):
    try:
        return call()
    except BaseException as error:
        return f"raises {type(error).__name__}: {error}"[:40]




def thread_reports(kind, error, ask_first):
    def case(tf):
        x, hook = tf.constant(3), recorder(tf)()
        session, sessions = start(tf, kind, hook)
        before = hook.coord
        report(before, error(tf))
        count = lambda: sessions and sessions.count  # noqa: E731
        ask = [lambda: session.should_stop(), count, lambda: hook.coord is before, lambda: hook.coord.should_stop()]
        run = [lambda: session.run(x), count]
        calls = ask + run if ask_first else run + ask
        return [[outcome(call) for call in calls], outcome(session.close), session.should_stop(), hook.calls]
    return case


def hook_fails(kind, error, reported):
    def case(tf):
        def fail(hook):
            if hook.calls.count("after") == 2 and error(tf) is not None:
                if reported:
                    report(hook.coord, error(tf))
                    raise tf.errors.CancelledError(None, None, "a step was cut off")
                raise error(tf)
        x, hook = tf.constant(3), recorder(tf)(after=fail)
        session, sessions = start(tf, kind, hook)
        results = [outcome(lambda: session.run(x)) for _ in range(3)]
        return [results, sessions and sessions.count, outcome(session.should_stop), outcome(session.close), hook.calls]
    return case


def block_fails(kind, error, reported):
    def case(tf):
        x, hook = tf.constant(3), recorder(tf)()
        session, sessions = start(tf, kind, hook)

        def block():
            with session:
                session.run(x)
                if reported:
                    report(hook.coord, error(tf))
                elif error(tf) is not None:
                    raise error(tf)
        return [outcome(block), session.should_stop(), hook.calls]
    return case


def creation_fails(kind, error):
    def case(tf):
        def fail(hook):
            if hook.calls.count("created") == 1 and error(tf) is not None:
                raise error(tf)
        hook = recorder(tf)(created=fail)
        return [outcome(lambda: start(tf, kind, hook)[0].close()), hook.calls]
    return case


def end_fails(kind, error):
    def case(tf):
        def fail(hook):
            if error(tf) is not None:
                raise error(tf)
        hook = recorder(tf)(end=fail)
        session, _ = start(tf, kind, hook)
        return [outcome(session.close), session.should_stop(), hook.calls]
    return case


for kind, (name, error) in itertools.product(["monitored", "singular"], ERRORS.items()):
    CASES[f"{kind}: a thread reports {name}"] = thread_reports(kind, error, True)
    CASES[f"{kind}: a thread reports {name} before a step"] = thread_reports(kind, error, False)
    CASES[f"{kind}: a hook raises {name}"] = hook_fails(kind, error, False)
    CASES[f"{kind}: a step fails after a thread with {name}"] = hook_fails(kind, error, True)
    CASES[f"{kind}: the block raises {name}"] = block_fails(kind, error, False)
    CASES[f"{kind}: the block ends after a thread with {name}"] = block_fails(kind, error, True)
    CASES[f"{kind}: the first session fails with {name}"] = creation_fails(kind, error)
    CASES[f"{kind}: the end fails with {name}"] = end_fails(kind, error)


def hook_stops(report_too):
    def case(tf):
        def stop(hook):
            hook.context.request_stop()
            if report_too:
                report(hook.coord, tf.errors.AbortedError(None, None, "x"))
        x, hook = tf.constant(3), recorder(tf)(after=stop)
        session, sessions = start(tf, "monitored", hook)
        return [session.run(x), session.should_stop(), sessions.count, outcome(lambda: session.run(x)), outcome(session.close), hook.calls]
    return case


CASES["a hook stops"] = hook_stops(False)
CASES["a hook stops and a task is lost"] = hook_stops(True)


def step_function(tf):
    tries, hook = [], recorder(tf)()

    def step(step_context):
        tries.append(1)
        if len(tries) == 1:
            raise tf.errors.AbortedError(None, None, "x")
        return 5
    session, sessions = start(tf, "monitored", hook)
    return [session.run_step_fn(step), len(tries), sessions.count, outcome(session.close), hook.calls]


CASES["a step function loses a task"] = step_function
