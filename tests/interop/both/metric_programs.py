"""tf.metrics over three batches: the value and the update after each batch, and the variables with the totals."""
import numpy as np

from both.program import Program

STEPS = 3


def batches(seed, **kinds):
    """Returns the arrays of each step, by name of the placeholder."""
    rng = np.random.RandomState(seed)
    draw = {"float": lambda s: rng.uniform(0, 1, s).astype(np.float32), "bool": lambda s: rng.uniform(size=s) < 0.4,
            "class": lambda s: rng.randint(0, 4, s).astype(np.int64), "weight": lambda s: rng.choice([0, 0.5, 1, 2], s).astype(np.float32)}
    return [{name: draw[kind](shape) for name, (kind, shape) in kinds.items()} for _ in range(STEPS)]


TYPES = {"float": "float32", "bool": "bool", "class": "int64", "weight": "float32"}


def program(measure, **kinds):
    """Makes a program of measure(metrics, **placeholders), which returns a metric."""
    def build(tf):
        fed = {name: tf.placeholder(TYPES[kind], shape, name=name) for name, (kind, shape) in kinds.items()}
        value, update = measure(tf.metrics, **fed)
        variables = tf.local_variables()
        assert [v.name for v in tf.get_collection("metric_variables")] == [v.name for v in variables]
        # Metric variables are local, but the program runner initializes only global ones.
        for variable in variables:
            tf.add_to_collection(tf.GraphKeys.GLOBAL_VARIABLES, variable)
        return {"look": [value, *variables], "train": update.op,
                "feeds": [{fed[name]: array for name, array in batch.items()} for batch in batches(5, **kinds)]}
    return build


PAIR = {"labels": ("float", (4, 3)), "predictions": ("float", (4, 3))}
YES_NO = {"labels": ("bool", (8,)), "predictions": ("float", (8,))}
CLASSES = {"labels": ("class", (6,)), "predictions": ("class", (6,))}
FULL, COLUMN = ("weight", (4, 3)), ("weight", (4, 1))
EACH = ("weight", (8,))

RANKS = {"labels": ("class", (6, 2)), "predictions": ("float", (6, 5))}
ROW = ("weight", (6,))
# Rows with two, one and no labels.
SPARSE = [[0, 0], [0, 1], [1, 2], [3, 0], [4, 1], [5, 0]]

CASES = {
    "mean": (lambda m, x: m.mean(x), {"x": ("float", (4, 3))}),
    "mean_weighted": (lambda m, x, w: m.mean(x, w), {"x": ("float", (4, 3)), "w": COLUMN}),
    "mean_scalar_weight": (lambda m, x: m.mean(x, 2.0, name="mine"), {"x": ("float", (4, 3))}),
    "mean_tensor": (lambda m, x, w: m.mean_tensor(x, w), {"x": ("float", (4, 3)), "w": FULL}),
    "accuracy": (lambda m, labels, predictions: m.accuracy(labels, predictions), CLASSES),
    "accuracy_weighted": (lambda m, labels, predictions, w: m.accuracy(labels, predictions, w), {**CLASSES, "w": ("weight", (6,))}),
    "accuracy_of_column": (lambda m, labels, predictions: m.accuracy(labels, predictions), {"labels": ("class", (6, 1)), "predictions": ("class", (6,))}),
    "mean_squared_error": (lambda m, labels, predictions, w: m.mean_squared_error(labels, predictions, w), {**PAIR, "w": FULL}),
    "root_mean_squared_error": (lambda m, labels, predictions: m.root_mean_squared_error(labels, predictions), PAIR),
    "mean_absolute_error": (lambda m, labels, predictions, w: m.mean_absolute_error(labels, predictions, w), {**PAIR, "w": COLUMN}),
    "mean_relative_error": (lambda m, labels, predictions, scale: m.mean_relative_error(labels, predictions, scale), {**PAIR, "scale": FULL}),
    "mean_cosine_distance": (lambda m, labels, predictions: m.mean_cosine_distance(labels, predictions, 1), PAIR),
    "mean_cosine_distance_weighted": (lambda m, labels, predictions, w: m.mean_cosine_distance(labels, predictions, 1, w), {**PAIR, "w": COLUMN}),
    "percentage_below": (lambda m, x, w: m.percentage_below(x, 0.4, w), {"x": ("float", (4, 3)), "w": FULL}),
    "precision": (lambda m, labels, predictions: m.precision(labels, predictions > 0.5), YES_NO),
    "precision_weighted": (lambda m, labels, predictions, w: m.precision(labels, predictions > 0.5, w), {**YES_NO, "w": EACH}),
    "recall": (lambda m, labels, predictions, w: m.recall(labels, predictions > 0.5, w), {**YES_NO, "w": EACH}),
    "precision_at_thresholds": (lambda m, labels, predictions: m.precision_at_thresholds(labels, predictions, [0.2, 0.5, 0.9]), YES_NO),
    "recall_at_thresholds": (lambda m, labels, predictions, w: m.recall_at_thresholds(labels, predictions, [0.2, 0.5], w), {**YES_NO, "w": EACH}),
    "sensitivity_at_specificity": (lambda m, labels, predictions: m.sensitivity_at_specificity(labels, predictions, 0.6), YES_NO),
    "specificity_at_sensitivity": (lambda m, labels, predictions, w: m.specificity_at_sensitivity(labels, predictions, 0.7, w, num_thresholds=20),
                                   {**YES_NO, "w": EACH}),
    "auc_thresholds": (lambda m, labels, predictions: m.auc(labels, predictions, thresholds=[0.7, 0.3, 0.5]), YES_NO),
    "mean_iou": (lambda m, labels, predictions: m.mean_iou(labels, predictions, 5), CLASSES),
    "mean_iou_weighted": (lambda m, labels, predictions, w: m.mean_iou(labels, predictions, 4, w),
                          {"labels": ("class", (3, 2)), "predictions": ("class", (3, 2)), "w": ("weight", (3, 2))}),
    "mean_per_class_accuracy": (lambda m, labels, predictions, w: m.mean_per_class_accuracy(labels, predictions, 5, w), {**CLASSES, "w": ("weight", (6,))}),
    "two_of_a_kind": (lambda m, labels, predictions: (m.accuracy(labels, predictions), m.mean(predictions), m.mean(labels))[2], CLASSES),
}
for _name in ("precision_at_k", "recall_at_k", "average_precision_at_k"):
    CASES[_name] = (lambda m, labels, predictions, name=_name: getattr(m, name)(labels, predictions, 3), RANKS)
    CASES[_name + "_weighted"] = (lambda m, labels, predictions, w, name=_name: getattr(m, name)(labels, predictions, 2, weights=w), {**RANKS, "w": ROW})
    CASES[_name + "_of_one_label"] = (lambda m, labels, predictions, name=_name: getattr(m, name)(labels, predictions, 2, name="mine"),
                                      {**RANKS, "labels": ("class", (6,))})
    CASES[_name + "_of_matrices"] = (lambda m, labels, predictions, w, name=_name: getattr(m, name)(labels, predictions, 1, weights=w), {
        "labels": ("class", (3, 2, 2)), "predictions": ("float", (3, 2, 4)), "w": ("weight", (3, 1))})
    CASES[_name + "_too_large"] = (lambda m, labels, predictions, name=_name: getattr(m, name)(labels * 2 - 1, predictions, 3), RANKS)
for _name in ("precision_at_k", "recall_at_k"):
    CASES[_name + "_of_a_class"] = (lambda m, labels, predictions, w, name=_name: getattr(m, name)(labels, predictions, 3, class_id=1, weights=w),
                                    {**RANKS, "w": ROW})
for _name in ("precision_at_top_k", "recall_at_top_k"):
    CASES[_name] = (lambda m, labels, chosen, name=_name: getattr(m, name)(labels, chosen), {"labels": ("class", (6, 2)), "chosen": ("class", (6, 3))})
    CASES[_name + "_named"] = (lambda m, labels, chosen, name=_name: getattr(m, name)(labels, chosen, k=3, class_id=2),
                               {"labels": ("class", (6, 2)), "chosen": ("class", (6, 3))})
for _cell in ("true_positives", "false_positives", "true_negatives", "false_negatives"):
    CASES[_cell] = (lambda m, labels, predictions, w, cell=_cell: getattr(m, cell)(labels, predictions > 0.5, w), {**YES_NO, "w": EACH})
    CASES[_cell + "_at_thresholds"] = (
        lambda m, labels, predictions, cell=_cell: getattr(m, cell + "_at_thresholds")(labels, predictions, [0.25, 0.75]), YES_NO)
for _curve in ("ROC", "PR"):
    for _method in ("trapezoidal", "minoring", "majoring", "careful_interpolation"):
        CASES[f"auc_{_curve}_{_method}"] = (
            lambda m, labels, predictions, w, curve=_curve, method=_method: m.auc(labels, predictions, w, curve=curve, summation_method=method,
                                                                                num_thresholds=30), {**YES_NO, "w": EACH})



def sparse_ranks(tf):
    """The ranking metrics with sparse labels, all in one graph."""
    values = tf.placeholder(tf.int64, [6], name="values")
    predictions = tf.placeholder(tf.float32, [6, 5], name="predictions")
    labels = tf.SparseTensor(tf.constant(SPARSE, tf.int64), values, tf.constant([6, 3], tf.int64))
    m = tf.metrics
    metrics = [m.precision_at_k(labels, predictions, 2), m.recall_at_k(labels, predictions, 3, class_id=2),
               m.sparse_average_precision_at_k(labels, predictions, 3), m.sparse_precision_at_k(labels, predictions, 1, class_id=0)]
    for variable in tf.local_variables():
        tf.add_to_collection(tf.GraphKeys.GLOBAL_VARIABLES, variable)
    feeds = [{values: labels_, predictions: scores} for labels_, scores in (
        (b["labels"], b["predictions"]) for b in batches(9, labels=("class", (6,)), predictions=("float", (6, 5))))]
    return {"look": [value for value, _ in metrics] + tf.local_variables(), "train": tf.group(*(update for _, update in metrics)), "feeds": feeds}


def programs():
    yield Program("metrics at k of sparse labels", sparse_ranks)
    for name, (measure, kinds) in CASES.items():
        yield Program("metric_" + name, program(measure, **kinds))
