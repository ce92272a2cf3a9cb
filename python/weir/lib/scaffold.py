"""tf.train.Scaffold, with the function that finds its default parts."""
from weir import _weir


class Scaffold(_weir.Scaffold):
    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """Returns the only item of a collection of the default graph, or else adds the result of default_constructor().
        """
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
