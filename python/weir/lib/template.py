"""tf.make_template: a function that makes its variables at the first call and shares them afterwards."""
import functools

from weir import _weir


class Template:
    def __init__(self, name, function, create_scope_now=False, unique_name=None, custom_getter=None):
        if not isinstance(name, str):
            raise ValueError("name must be a string")
        self._function, self._name, self._unique_name, self._custom_getter = function, name, unique_name, custom_getter
        self._scope = None
        self._called = False
        if create_scope_now:
            self._open()

    def _open(self):
        with _weir.variable_scope(self._unique_name, default_name=self._name, custom_getter=self._custom_getter) as scope:
            self._scope = scope

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
        return None if self._scope is None else self._scope.name

    def _variables(self, collection):
        return _weir.get_collection(collection, self.variable_scope_name + "/") if self._scope is not None else []

    @property
    def variables(self):
        return self._variables("variables") + self._variables("local_variables")

    global_variables = property(lambda self: self._variables("variables"))
    local_variables = property(lambda self: self._variables("local_variables"))
    trainable_variables = property(lambda self: self._variables("trainable_variables"))
    weights = variables
    trainable_weights = trainable_variables

    def __call__(self, *args, **kwargs):
        if self._scope is None:
            self._open()
        with _weir.variable_scope(self._scope, reuse=True if self._called else None):
            if self._called:
                before = len(_weir.trainable_variables())
                result = self._function(*args, **kwargs)
                if len(_weir.trainable_variables()) != before:
                    raise ValueError(f"New variable(s) created when calling a template after the first time, perhaps you used tf.Variable "
                                     f"when you meant tf.get_variable: {self._name}")
                return result
            result = self._function(*args, **kwargs)
            self._called = True
            return result


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    return Template(name_, functools.partial(func_, **kwargs) if kwargs else func_, create_scope_now_, unique_name_, custom_getter_)
