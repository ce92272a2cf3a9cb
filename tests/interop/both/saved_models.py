"""A saved model with two meta graphs, a main op and an asset, which either library writes and uses."""
import os


def write(tf, folder, words):
    """Saves the model; `words` is the path of its asset."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=tf.constant([[1.0], [2.0]]))
        y = tf.matmul(x, w, name="y")
        path = tf.constant(words, name="path")
        text = tf.get_variable("text", initializer="", collections=[tf.GraphKeys.LOCAL_VARIABLES])
        main = tf.group(text.assign(tf.read_file(path)), name="main")
        session.run(tf.global_variables_initializer())
        session.run(w.assign([[3.0], [4.0]]))
        builder = tf.saved_model.Builder(folder)
        signature = tf.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature}, assets_collection=[path],
                                             main_op=main)
        builder.add_meta_graph(["train"])
        builder.save()


def use(tf, folder):
    """Loads the model; returns its metadata and results."""
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        return {
            "y": session.run("y:0", {"x:0": [[1.0, 10.0]]}).tolist(),
            "text": session.run("text:0").decode(),
            "collections": sorted(meta.collection_def),
            "nodes": [node.name for node in meta.graph_def.node],
            "saver": [meta.saver_def.filename_tensor_name, meta.saver_def.save_tensor_name, meta.saver_def.restore_op_name],
            "signature": [signature.method_name, signature.inputs["x"].name, str(signature.outputs["y"].tensor_shape)],
            "variables": sorted(name for name in os.listdir(os.path.join(folder, "variables"))),
        }
