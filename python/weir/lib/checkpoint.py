"""tf.train.Checkpoint and CheckpointManager: checkpoints that name variables by the Python objects that own them.

A checkpoint contains, beside the variables, a description of the objects (TrackableObjectGraph). Restoring walks over the
described objects and over those of the program at once, following equal names. The objects are looked at when a
checkpoint is saved and when it is restored, so variables may be created in between.
"""
import os
import re
import time

from weir import _weir

_OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


def _children(value):
    """Returns [(name, object), ...] of what an object tracks, or None if it cannot be tracked.

    A class defines its own children with a method _trackable_children.
    """
    if isinstance(value, (_weir.Variable, _weir.PartitionedVariable)):
        return []
    if isinstance(value, dict):
        return [(str(name), item) for name, item in value.items() if is_trackable(item)]
    if isinstance(value, (list, tuple)):
        return [(str(i), item) for i, item in enumerate(value) if is_trackable(item)]
    if isinstance(value, _weir.Optimizer):
        slots = {slot.name for _, _, slot in _slots(value, _weir.global_variables())}
        own = [(re.sub(r"_\d+$", "", v.op.name.rpartition("/")[2]), v) for v in value.variables() if v.name not in slots]
        return sorted(own, key=lambda pair: pair[0])
    if hasattr(value, "_trackable_children"):
        return value._trackable_children()
    if hasattr(value, "add_variable") and hasattr(value, "variables"):  # a layer or a recurrent cell
        return [(v.op.name.rpartition("/")[2], v) for v in value.variables]
    return None


def is_trackable(value):
    return isinstance(value, (list, tuple, dict, _weir.Variable, _weir.PartitionedVariable, _weir.Optimizer)) or hasattr(
        value, "_trackable_children") or hasattr(value, "add_variable") and hasattr(value, "variables")


def _slots(optimizer, variables):
    """Yields (slot name, variable, slot) of the given variables."""
    for name in optimizer.get_slot_names():
        for variable in variables:
            slot = optimizer.get_slot(variable, name)
            if slot is not None:
                yield name, variable, slot


def _escaped(name):
    return name.replace(".", "..").replace("/", ".S")


def _name(variable):
    return variable.op.name if isinstance(variable, _weir.Variable) else variable.name


def _initializers(variables):
    parts = [part for v in variables for part in ([v] if isinstance(v, _weir.Variable) else list(v))]
    return [part.initializer for part in parts]


class _Objects:
    """The objects that can be reached from `root`, breadth first. Variables are the same object if their op is the same."""

    def __init__(self, root):
        self.nodes, self.paths, self.children, self.slots = [], [], [], []
        self._ids = {}
        self._add(root, "")
        for node in self.nodes:  # the loop appends to the list
            path = self.paths[self.id_of(node)]
            found = []
            for name, child in _children(node):
                found.append((name, self._add(child, path + ("/" if path else "") + _escaped(name))))
            self.children.append(found)
        variables = [node for node in self.nodes if isinstance(node, _weir.Variable)]
        for node in list(self.nodes):
            found = []
            if isinstance(node, _weir.Optimizer):
                for name, variable, slot in _slots(node, variables):
                    original = self.id_of(variable)
                    path = f"{self.paths[original]}/.OPTIMIZER_SLOT/{self.paths[self.id_of(node)]}/{_escaped(name)}"
                    found.append((original, name, self._add(slot, path)))
            self.slots.append(found)
        while len(self.children) < len(self.nodes):
            self.children.append([])
            self.slots.append([])

    @staticmethod
    def _key(node):
        return ("variable", node.op) if isinstance(node, _weir.Variable) else ("object", id(node))

    def id_of(self, node):
        return self._ids.get(self._key(node))

    def _add(self, node, path):
        number = self._ids.setdefault(self._key(node), len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
            self.paths.append(path)
        return number

    def variable_key(self, number):
        return f"{self.paths[number]}/.ATTRIBUTES/VARIABLE_VALUE"

    def variables(self):
        """Returns {name in the checkpoint: variable}."""
        return {self.variable_key(i): node for i, node in enumerate(self.nodes)
                if isinstance(node, (_weir.Variable, _weir.PartitionedVariable))}

    def message(self):
        import weir.proto
        graph = weir.proto.message_class("TrackableObjectGraph")()
        for number, node in enumerate(self.nodes):
            made = graph.nodes.add()
            for name, child in self.children[number]:
                made.children.add(node_id=child, local_name=name)
            for original, name, slot in self.slots[number]:
                made.slot_variables.add(original_variable_node_id=original, slot_name=name, slot_variable_node_id=slot)
            if isinstance(node, (_weir.Variable, _weir.PartitionedVariable)):
                made.attributes.add(name="VARIABLE_VALUE", full_name=_name(node), checkpoint_key=self.variable_key(number))
        return graph


class _Match:
    """Which objects of a program correspond to which objects of a checkpoint."""

    def __init__(self, objects, described):
        self.objects = objects
        self.described = described
        self.by_number = {0: 0}  # object of the checkpoint: object of the program
        todo = [0]
        for number in todo:
            children = dict(objects.children[self.by_number[number]])
            for child in described.nodes[number].children:
                mine = children.get(child.local_name)
                if mine is not None and child.node_id not in self.by_number:
                    self.by_number[child.node_id] = mine
                    todo.append(child.node_id)
        for number, node in enumerate(described.nodes):
            if number in self.by_number:
                slots = {(original, name): slot for original, name, slot in objects.slots[self.by_number[number]]}
                for slot in node.slot_variables:
                    mine = slots.get((self.by_number.get(slot.original_variable_node_id), slot.slot_name))
                    if mine is not None:
                        self.by_number[slot.slot_variable_node_id] = mine

    def variables(self):
        """Returns {name in the checkpoint: variable} of what to restore. Each variable occurs once."""
        found, taken = {}, set()
        for number, mine in sorted(self.by_number.items()):
            variable = self.objects.nodes[mine]
            for attribute in self.described.nodes[number].attributes:
                if attribute.name == "VARIABLE_VALUE" and mine not in taken and not isinstance(variable, (list, tuple, dict)):
                    taken.add(mine)
                    found[attribute.checkpoint_key] = variable
        return found

    def unmatched(self, only_variables):
        matched = set(self.by_number.values())
        for number, node in enumerate(self.objects.nodes):
            is_variable = isinstance(node, (_weir.Variable, _weir.PartitionedVariable))
            is_empty = isinstance(node, (list, tuple, dict)) and not self.objects.children[number]
            if number not in matched and not is_empty and (is_variable or not only_variables):
                yield node


def _session(session):
    session = session or _weir.get_default_session()
    if session is None:
        raise ValueError("no default session: pass `session`, or use `with tf.Session():`")
    return session


class _Status:
    """The result of Checkpoint.restore."""

    def expect_partial(self):
        """Does nothing: Weir prints no warnings about values that were not used."""
        return self


class _LoadStatus(_Status):
    def __init__(self, checkpoint, path, described):
        self._checkpoint, self._path, self._described = checkpoint, path, described

    def _match(self):
        return _Match(_Objects(self._checkpoint), self._described)

    def assert_consumed(self):
        """Raises AssertionError unless every object of the checkpoint and every object of the program has a counterpart."""
        match = self._match()
        for number, node in enumerate(self._described.nodes):
            if number not in match.by_number:
                keys = [attribute.checkpoint_key for attribute in node.attributes]
                names = [child.local_name for parent in self._described.nodes for child in parent.children if child.node_id == number]
                raise AssertionError(f"Unresolved object in checkpoint: {keys or names}")
        return self._assert_matched(match, only_variables=False)

    def assert_existing_objects_matched(self):
        """Raises AssertionError if a variable of the program has no value in the checkpoint."""
        return self._assert_matched(self._match(), only_variables=True)

    def _assert_matched(self, match, only_variables):
        unmatched = list(match.unmatched(only_variables))
        if unmatched:
            raise AssertionError(f"{len(unmatched)} Python objects have no values in the checkpoint '{self._path}', for example "
                                 f"{unmatched[:10]}")
        return self

    def assert_nontrivial_match(self):
        """Raises AssertionError if only the root object matches."""
        if len(self._match().by_number) < 2:
            raise AssertionError("Nothing except the root object matched a checkpointed value.")
        return self

    def run_restore_ops(self, session=None):
        """Assigns the values of the checkpoint to the variables that match."""
        variables = self._match().variables()
        if variables:
            self._checkpoint._saver(variables).restore(_session(session), self._path)

    def initialize_or_restore(self, session=None):
        """Assigns the values of the checkpoint, and initializes the variables that it does not contain."""
        match = self._match()
        restored = {id(match.objects.nodes[i]) for i in match.by_number.values()}
        left = [v for v in match.objects.variables().values() if id(v) not in restored]
        session = _session(session)
        self.run_restore_ops(session)
        session.run(_initializers(left))


class _InitializationStatus(_Status):
    """Nothing to restore: restore(None)."""

    def __init__(self, checkpoint):
        self._checkpoint = checkpoint

    def _nothing(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self):
        self._nothing()

    def assert_existing_objects_matched(self):
        self._nothing()

    def assert_nontrivial_match(self):
        self._nothing()

    def run_restore_ops(self, session=None):
        self._nothing()

    def initialize_or_restore(self, session=None):
        _session(session).run(_initializers(_Objects(self._checkpoint).variables().values()))


class _NameBasedStatus(_Status):
    """A checkpoint of tf.train.Saver: matches variables by their names."""

    def __init__(self, checkpoint, path, names):
        self._checkpoint, self._path, self._names = checkpoint, path, names

    def _variables(self):
        return list(_Objects(self._checkpoint).variables().values())

    def assert_existing_objects_matched(self):
        for variable in self._variables():
            if _name(variable) not in self._names:
                raise AssertionError(f"Object not restored: {variable}")
        return self

    assert_nontrivial_match = assert_existing_objects_matched

    def assert_consumed(self):
        unused = self._names - {_name(v) for v in self._variables()}
        if unused:
            raise AssertionError(f"Some values of the checkpoint were not restored: {sorted(unused)}")
        return self.assert_existing_objects_matched()

    def run_restore_ops(self, session=None):
        self._checkpoint._saver({_name(v): v for v in self._variables()}).restore(_session(session), self._path)

    def initialize_or_restore(self, session=None):
        self.run_restore_ops(session)


class Checkpoint:
    """Saves and restores the variables of the objects that are its attributes: variables, optimizers, layers, lists and dicts of
    these, and other Checkpoints."""

    def __init__(self, **kwargs):
        self.__dict__.update(_tracked={}, _save_counter=None, _savers={})
        for name, value in sorted(kwargs.items()):
            if not is_trackable(value):
                raise ValueError(f"`Checkpoint` was expecting a trackable object (a variable, an optimizer, a layer, a list or dict of "
                                 f"these, or a Checkpoint) as '{name}', got {value!r}")
            setattr(self, name, value)

    def __setattr__(self, name, value):
        self.__dict__[name] = value
        if is_trackable(value):
            self._tracked[name] = value
        else:
            self._tracked.pop(name, None)

    def __delattr__(self, name):
        del self.__dict__[name]
        self._tracked.pop(name, None)

    def _trackable_children(self):
        return list(self._tracked.items())

    @property
    def save_counter(self):
        """A variable that counts the calls of save()."""
        self._make_save_counter()
        return self._save_counter

    def _make_save_counter(self):
        if self._save_counter is None:
            counter = _weir.Variable(0, name="save_counter", dtype="int64", trainable=False, use_resource=True)
            self.__dict__["_save_counter"] = self._tracked["save_counter"] = counter

    def _saver(self, variables, description=b""):
        """Returns a saver of {name: variable}. Calls with the same variables share one."""
        key = (description, tuple((name, variable.name) for name, variable in sorted(variables.items(), key=lambda pair: pair[0])))
        if key not in self._savers:
            graph = next((v.graph for v in variables.values() if isinstance(v, _weir.Variable)), None) or _weir.get_default_graph()
            with graph.as_default():
                self._savers[key] = _weir.Saver(variables, max_to_keep=None, _object_graph=description)
        return self._savers[key]

    def write(self, file_prefix, session=None):
        """Writes a checkpoint without counting it. Returns its path."""
        objects = _Objects(self)
        variables = objects.variables()
        if not variables:
            raise ValueError("No variables to save")
        saver = self._saver(variables, objects.message().SerializeToString(deterministic=True))
        return saver.save(_session(session), os.fspath(file_prefix), write_meta_graph=False, write_state=False)

    def save(self, file_prefix, session=None):
        """Writes the checkpoint `file_prefix`-N, where N counts the calls, and the file "checkpoint" beside it. Returns its path."""
        session = _session(session)
        number = self._count(session)
        path = self.write(f"{os.fspath(file_prefix)}-{number}", session)
        _write_state(path, [path])
        return path

    def _count(self, session):
        is_new = self._save_counter is None
        with session.graph.as_default():
            self._make_save_counter()
            if is_new:  # restore() did not create it
                session.run(self._save_counter.initializer)
            if "_count_op" not in self.__dict__:
                self.__dict__["_count_op"] = self._save_counter.assign_add(1)
        return int(session.run(self._count_op))

    def restore(self, save_path):
        """Prepares restoring from a checkpoint. Returns a status; its run_restore_ops() or initialize_or_restore() assigns the
        values."""
        if save_path is None:
            self._make_save_counter()
            return _InitializationStatus(self)
        save_path = os.fspath(save_path)
        reader = _weir.NewCheckpointReader(save_path)
        if not reader.has_tensor(_OBJECT_GRAPH_KEY):
            return _NameBasedStatus(self, save_path, set(reader.get_variable_to_shape_map()))
        self._make_save_counter()
        import weir.proto
        described = weir.proto.message_class("TrackableObjectGraph").FromString(bytes(reader.get_tensor(_OBJECT_GRAPH_KEY)))
        return _LoadStatus(self, save_path, described)


def _write_state(latest, paths, times=None, last_preserved=None):
    """Writes the file "checkpoint" with paths relative to its folder."""
    folder = os.path.abspath(os.path.dirname(latest) or ".")
    more = {} if times is None else {"all_model_checkpoint_timestamps": times, "last_preserved_timestamp": last_preserved}
    _weir.update_checkpoint_state(folder, os.path.basename(latest), [os.path.basename(path) for path in paths], **more)


class CheckpointManager:
    """Saves checkpoints to a folder and deletes old ones.

    Keeps the `max_to_keep` latest (None: all) and, if `keep_checkpoint_every_n_hours` is set, one of each such period.
    """

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt"):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._max_to_keep = max_to_keep
        self._period = keep_checkpoint_every_n_hours
        self._kept = {}  # path: time of its creation
        self._latest = None
        now = time.time()
        self._last_preserved = now - 1.0
        state = _weir.get_checkpoint_state(self._directory)
        if state is not None:
            paths, times = list(state.all_model_checkpoint_paths), list(state.all_model_checkpoint_timestamps)
            self._kept = dict(zip(paths, times if len(times) == len(paths) else [now] * len(paths)))
            self._latest = state.model_checkpoint_path or None
            self._last_preserved = state.last_preserved_timestamp or self._last_preserved

    @property
    def latest_checkpoint(self):
        return self._latest

    @property
    def checkpoints(self):
        """The checkpoints that are kept, oldest first."""
        return list(self._kept)

    def save(self, checkpoint_number=None):
        """Writes a checkpoint with the given number, or that of Checkpoint.save_counter. Returns its path."""
        session = _session(None)
        number = self._checkpoint._count(session)
        if checkpoint_number is not None:
            number = checkpoint_number if isinstance(checkpoint_number, int) else int(session.run(checkpoint_number))
        path = self._checkpoint.write(f"{self._prefix}-{number}", session)
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        deleted = self._sweep()
        _write_state(path, list(self._kept), list(self._kept.values()), self._last_preserved)
        for old in deleted:
            _weir.remove_checkpoint(old)
        return path

    def _sweep(self):
        """Forgets the oldest checkpoints. Returns those to delete: all but the first of each period."""
        deleted = []
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path = next(iter(self._kept))
            created = self._kept.pop(path)
            if self._period and created - self._period * 3600 >= self._last_preserved:
                self._last_preserved = created
            else:
                deleted.append(path)
        return deleted


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields new checkpoints of a folder as they appear, at most one per `min_interval_secs`.

    Without a new one for `timeout` seconds, ends, unless `timeout_fn` returns False.
    """
    seen = None
    while True:
        path = _wait_for_checkpoint(checkpoint_dir, seen, timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start, seen = time.time(), path
        yield path
        time.sleep(max(0.0, start + min_interval_secs - time.time()))


def _wait_for_checkpoint(folder, last, timeout):
    end = None if timeout is None else time.time() + timeout
    while True:
        path = _weir.latest_checkpoint(folder)
        if path is not None and path != last:
            return path
        if end is not None and time.time() + 1 > end:
            return None
        time.sleep(1)
