"""tf.CriticalSection: functions of which only one runs at a time, in all steps and sessions that share it."""
from weir import _weir


class CriticalSection:
    """The mutex of a critical section. execute() runs a function while it holds the mutex."""

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        if critical_section_def is not None:
            raise ValueError("Weir has no message CriticalSectionDef: create the critical section again with the same shared_name")
        graph = _weir.get_default_graph()
        with graph.control_dependencies(None), _weir.name_scope(name or "critical_section") as scope:
            self._handle = _weir.op_function("MutexV2")(container="", shared_name=shared_name or scope[:-1], name=name)
        self._name = scope[:-1]
        self._running = False  # while a function is called, to find nested calls

    @property
    def name(self):
        return self._handle.op.name

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """Returns what fn() returns. Its nodes run while the mutex is held."""
        if self._running:
            raise ValueError(f"execute() detected that the function given to it already runs inside of the CriticalSection {self._name}")
        graph = _weir.get_default_graph()
        with _weir.name_scope(name or "critical_section_execute"):
            lock = _weir.op_function("MutexLock")(self._handle)
            before = {op.name for op in graph.get_operations()}
            self._running = True
            try:
                with graph.control_dependencies([lock]):
                    result = fn()
            finally:
                self._running = False
            made = [op for op in graph.get_operations() if op.name not in before]
            self._register(graph, made, exclusive_resource_access)
            flat = [part for part in _weir.nest_flatten(result) if part is not None]
            with graph.control_dependencies(None), graph.control_dependencies([*made]):
                released = _weir.op_function("ConsumeMutexLock")(lock)
            with graph.control_dependencies([released]):
                if not flat:
                    return _weir.op_function("NoOp")() if result is None else result
                return _weir.nest_pack_sequence_as(result, [
                    None if part is None else
                    _weir.op_function("NoOp")() if isinstance(part, _weir.Operation) else
                    _weir.op_function("Identity")(_weir.convert_to_tensor(part)) for part in _weir.nest_flatten(result)])

    def _register(self, graph, made, exclusive):
        """Checks that no two exclusive functions use the same resource in different critical sections."""
        used = {tensor.op.name for op in made for tensor in op.inputs if tensor.dtype.base_dtype.name == "resource"} - {self._handle.op.name}
        sections = graph.get_collection_ref("critical_section_executions")
        for section, resources, is_exclusive in sections:
            if section is not self and (exclusive or is_exclusive) and used & resources:
                raise ValueError(f"This execution would access resources: {sorted(used & resources)}. Either this lock (CriticalSection: "
                                 f"{self._name}) or lock '{section._name}' requested exclusive resource access of this resource.")
        sections.append((self, used, exclusive))
