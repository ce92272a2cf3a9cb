"""tf.train.Scaffold, with the rule by which its parts are found."""
from weir import _weir


class Scaffold(_weir.Scaffold):
    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """The one item of a collection of the default graph, or else what default_constructor() gives, which is put there."""
        graph = _weir.get_default_graph()
        elements = graph.get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                               f"it to the tf.Scaffold constructor as: tf.Scaffold({arg_name}=item to use)")
        if elements:
            return elements[0]
        made = default_constructor()
        if made is not None:
            graph.add_to_collection(collection_key, made)
        return made
