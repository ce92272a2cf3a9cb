"""tf.contrib.predictor: a saved model or an estimator as a function of arrays, with a session that stays open."""
from weir import _weir
from weir.lib import log, saved_model

_OLD_KEY = "default_input_alternative:{}"  # exports of tf.contrib.learn


class Predictor:
    """Calls the session with a dict of inputs, and returns the outputs as a dict. The session stays open."""

    def __init__(self, session, graph, feed_tensors, fetch_tensors):
        self._session, self._graph, self._feed_tensors, self._fetch_tensors = session, graph, feed_tensors, fetch_tensors

    session = property(lambda self: self._session)
    graph = property(lambda self: self._graph)
    feed_tensors = property(lambda self: self._feed_tensors)
    fetch_tensors = property(lambda self: self._fetch_tensors)

    def __repr__(self):
        return f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors {self._fetch_tensors}"

    def __call__(self, input_dict):
        unexpected = set(input_dict) - set(self.feed_tensors)
        if unexpected:
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}\nexpected: {set(self.feed_tensors)}")
        feeds = {tensor: input_dict[key] for key, tensor in self.feed_tensors.items() if input_dict.get(key) is not None}
        return self._session.run(self.fetch_tensors, feed_dict=feeds)


class SavedModelPredictor(Predictor):
    pass


class CoreEstimatorPredictor(Predictor):
    pass


def _tensors(graph, infos):
    return {key: saved_model.get_tensor_from_tensor_info(info, graph) for key, info in infos.items()}


def _signature(meta_graph, key):
    for name in (key, _OLD_KEY.format(key)):
        if name in meta_graph.signature_def:
            if name != key:
                log.warning('Could not find signature def "%s". Using "%s" instead', key, name)
            return meta_graph.signature_def[name]
    raise ValueError(f'Got signature_def_key "{key}". Available signatures are {sorted(meta_graph.signature_def)}.')


def from_saved_model(export_dir, signature_def_key=None, signature_def=None, input_names=None, output_names=None, tags=None, graph=None,
                     config=None):
    """Loads a saved model. Takes its inputs and outputs from a signature, or from dicts of tensor names."""
    if (input_names is None) != (output_names is None):
        raise ValueError("input_names and output_names must both be specified or both be unspecified.")
    if sum(given is not None for given in (signature_def_key, signature_def, input_names)) > 1:
        raise ValueError("You must specify at most one of signature_def_key OR signature_def OR (input_names AND output_names).")
    graph = graph or _weir.Graph()
    with graph.as_default():
        from weir.lib.session import Session
        session = Session(config=config)
        meta_graph = saved_model.load(session, (tags or saved_model.SERVING).split(","), export_dir)
    if input_names is not None:
        feeds, fetches = ({key: graph.get_tensor_by_name(name) for key, name in names.items()} for names in (input_names, output_names))
    else:
        if signature_def is None:
            signature_def = _signature(meta_graph, signature_def_key or saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY)
        feeds, fetches = _tensors(graph, signature_def.inputs), _tensors(graph, signature_def.outputs)
    return SavedModelPredictor(session, graph, feeds, fetches)


def from_estimator(estimator, serving_input_receiver_fn, output_key=None, graph=None, config=None):
    """Builds the prediction graph of a tf.estimator.Estimator, with the variables of its latest checkpoint."""
    from weir.lib import monitored_session
    from weir.lib.estimator import Estimator, ModeKeys
    if not isinstance(estimator, Estimator):
        raise TypeError(f"Expected estimator to be of type tf.estimator.Estimator, but got type {type(estimator)}.")
    graph = graph or _weir.Graph()
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        outputs = estimator.model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config).export_outputs
        key = output_key or saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if key not in outputs:
            raise KeyError(f"output_key must be one of {sorted(outputs)}; got {key}")
        signature = outputs[key].as_signature_def(receiver.receiver_tensors)
        creator = monitored_session.ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
        session = monitored_session.MonitoredSession(session_creator=creator)
    return CoreEstimatorPredictor(session, graph, _tensors(graph, signature.inputs), _tensors(graph, signature.outputs))
