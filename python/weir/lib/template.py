"""tf.make_template: a function that creates its variables in the first call, and reuses them in later calls."""
import functools
import threading

from weir import _weir
from weir.lib import log as _log


class Template:
    def __init__(self, name, function, create_scope_now=False, unique_name=None, custom_getter=None):
        if name is None:
            raise ValueError("name cannot be None.")
        self._function, self._name, self._unique_name, self._custom_getter = function, name, unique_name, custom_getter
        self._scope = None
        self._called = False
        self._lock = threading.RLock()
        if create_scope_now:
            with self._open(auxiliary_name_scope=False) as scope:  # open no name scope before the first call
                self._scope = scope

    def _open(self, **options):
        return _weir.variable_scope(self._unique_name, default_name=self._name, custom_getter=self._custom_getter, **options)

    @property
    def name(self):
        return self._name

    @property
    def func(self):
        return self._function

    @property
    def variable_scope(self):
        return self._scope

    @property
    def variable_scope_name(self):
        if self._scope is None:
            return None
        name = self._scope.name
        return name if not name or name.endswith("/") else name + "/"

    var_scope = variable_scope

    def _variables(self, collection):
        return _weir.get_collection(collection, self.variable_scope_name) if self._scope is not None else []

    @property
    def variables(self):
        return self._variables("variables") + self._variables("local_variables")

    global_variables = property(lambda self: self._variables("variables"))
    local_variables = property(lambda self: self._variables("local_variables"))
    trainable_variables = property(lambda self: self._variables("trainable_variables"))
    weights = variables
    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.global_variables if id(v) not in trainable]

    non_trainable_weights = non_trainable_variables

    def __call__(self, *args, **kwargs):
        with self._lock:  # the first call creates the scope and the variables
            if self._called:
                with _weir.variable_scope(self._scope, reuse=True):
                    return self._call_again(args, kwargs)
            with self._open() if self._scope is None else _weir.variable_scope(self._scope) as scope:
                if self._scope is None:
                    self._scope = scope
                result = self._function(*args, **kwargs)
                self._called = True
                return result

    def _call_again(self, args, kwargs):
        trainable, variables = len(_weir.trainable_variables()), len(_weir.global_variables())
        result = self._function(*args, **kwargs)
        text = "created when calling a template after the first time, perhaps you used tf.Variable when you meant tf.get_variable"
        if len(_weir.trainable_variables()) != trainable:
            raise ValueError(f"Trainable variable {text}: {_weir.trainable_variables()[trainable:]}")
        if len(_weir.global_variables()) != variables:
            _log.info("New variables %s: %s", text, _weir.global_variables()[variables:])
        return result


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)
