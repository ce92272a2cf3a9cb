"""Small modules: tf.signal, tf.linalg and tf.distributions, as values and gradients of their functions."""
import numpy as np

from both.answers import evaluate

CASES = {}
RNG = np.random.RandomState(3)


def values(x):
    return x.astype(np.float32)


def of(make, *inputs, gradients=True):
    """A case: the values of make(tf, *tensors), and gradients of the first one."""
    def case(tf):
        tensors = [tf.constant(x) for x in inputs]
        result = make(tf, *tensors)
        result = list(result) if isinstance(result, (list, tuple)) else [result]
        found = []
        if gradients:
            target = result[0]
            if target.dtype.is_complex:
                target = tf.abs(target)
            found = [g for g in tf.gradients(target, tensors) if g is not None]
        parts = [part for r in result for part in ([tf.real(r), tf.imag(r)] if r.dtype.is_complex else [r])]
        return [[str(r.shape) for r in result], evaluate(tf, parts + found)]
    return case


def add(name, make, *inputs, gradients=True):
    CASES[name] = of(make, *inputs, gradients=gradients)


SIGNAL = values(RNG.randn(2, 20))
for length, step, end in ((4, 2, False), (5, 3, True), (4, 6, True)):
    add(f"frame {length} {step} {end}", lambda tf, x, l=length, s=step, e=end: tf.signal.frame(x, l, s, pad_end=e, pad_value=0.5), SIGNAL)
add("frame of an axis", lambda tf, x: tf.signal.frame(x, 2, 1, axis=0), SIGNAL)
add("overlap_and_add", lambda tf, x: tf.signal.overlap_and_add(x, 2), values(RNG.randn(2, 3, 5)))
for window in ("hann_window", "hamming_window"):
    for length in (1, 6, 7):
        for periodic in (True, False):
            add(f"{window} {length} {periodic}", lambda tf, w=window, l=length, p=periodic: getattr(tf.signal, w)(l, p), gradients=False)
add("kaiser_window", lambda tf: tf.signal.kaiser_window(7, 8.0), gradients=False)
add("kaiser_bessel_derived_window", lambda tf: tf.signal.kaiser_bessel_derived_window(8, 8.0), gradients=False)
add("vorbis_window", lambda tf: tf.signal.vorbis_window(8), gradients=False)
add("stft", lambda tf, x: tf.signal.stft(x, 6, 3), SIGNAL)
add("stft of a length", lambda tf, x: tf.signal.stft(x, 6, 3, fft_length=10, window_fn=None, pad_end=True), SIGNAL)
add("inverse_stft", lambda tf, x: tf.signal.inverse_stft(tf.signal.stft(x, 8, 4), 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4)), SIGNAL)
add("inverse_stft of a length", lambda tf, x: tf.signal.inverse_stft(tf.signal.stft(x, 6, 3, fft_length=16), 6, 3, fft_length=16), SIGNAL)
add("mel", lambda tf: tf.signal.linear_to_mel_weight_matrix(6, 17, 8000, 80.0, 3600.0), gradients=False)
add("mfccs", lambda tf, x: tf.signal.mfccs_from_log_mel_spectrograms(x), SIGNAL)
for kind in (1, 2, 3, 4):
    add(f"dct {kind}", lambda tf, x, k=kind: tf.signal.dct(x, type=k), SIGNAL)
    add(f"idct {kind}", lambda tf, x, k=kind: tf.signal.idct(x, type=k), SIGNAL)
    if kind > 1:
        add(f"dct {kind} ortho", lambda tf, x, k=kind: tf.signal.dct(x, type=k, norm="ortho"), SIGNAL)
for n in (8, 30):
    add(f"dct of {n}", lambda tf, x, n=n: tf.signal.dct(x, n=n), SIGNAL)
    # TensorFlow has no gradients for transforms of a part of their input.
    add(f"rfft of {n}", lambda tf, x, n=n: tf.signal.rfft(x, [n]), SIGNAL, gradients=n > 20)
    add(f"irfft of {n}", lambda tf, x, n=n: tf.signal.irfft(tf.complex(x, x * 0.5), [n]), SIGNAL, gradients=False)
    add(f"rfft2d of {n}", lambda tf, x, n=n: tf.signal.rfft2d(x, [3, n]), SIGNAL, gradients=n > 20)
add("fftshift", lambda tf, x: tf.signal.fftshift(x), values(RNG.randn(3, 4, 5)))
add("fftshift of axes", lambda tf, x: tf.signal.fftshift(x, [-1]), values(RNG.randn(3, 4, 5)))
add("ifftshift", lambda tf, x: tf.signal.ifftshift(x), values(RNG.randn(3, 4, 5)))

SQUARE = values(RNG.randn(2, 3, 3) + 3 * np.eye(3))
add("expm", lambda tf, x: tf.linalg.expm(x), values(RNG.randn(2, 3, 3)))
add("expm of large values", lambda tf, x: tf.linalg.expm(x * 3), values(RNG.randn(3, 3)), gradients=False)
add("pinv", lambda tf, x: tf.linalg.pinv(x), values(RNG.randn(2, 3, 4)), gradients=False)
add("pinv with rcond", lambda tf, x: tf.linalg.pinv(x, rcond=0.5), values(RNG.randn(4, 3)), gradients=False)
add("matrix_rank", lambda tf: tf.linalg.matrix_rank([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]]), gradients=False)
add("lu_solve", lambda tf, x, y: tf.linalg.lu_solve(*tf.linalg.lu(x), y), SQUARE, values(RNG.randn(2, 3, 2)), gradients=False)
add("lu_reconstruct", lambda tf, x: tf.linalg.lu_reconstruct(*tf.linalg.lu(x)), SQUARE, gradients=False)
add("normalize", lambda tf, x: tf.linalg.normalize(x, axis=-1), SQUARE)
add("normalize by another norm", lambda tf, x: tf.linalg.normalize(x, ord=1, axis=[-2, -1]), SQUARE)
for form, diagonals in (("compact", values(RNG.rand(3, 4) + [[0], [3], [0]])), ("matrix", values(RNG.rand(4, 4) + 3 * np.eye(4)))):
    add(f"tridiagonal_solve {form}", lambda tf, d, x, f=form: tf.linalg.tridiagonal_solve(d, x, diagonals_format=f), diagonals, values(RNG.randn(4, 2)))
    add(f"tridiagonal_solve {form} vector", lambda tf, d, x, f=form: tf.linalg.tridiagonal_solve(d, x, diagonals_format=f), diagonals, values(RNG.randn(4)))
    add(f"tridiagonal_matmul {form}", lambda tf, d, x, f=form: tf.linalg.tridiagonal_matmul(d, x, diagonals_format=f), diagonals, values(RNG.randn(4, 2)))
add("tridiagonal_solve sequence", lambda tf, a, b, c, x: tf.linalg.tridiagonal_solve([a, b, c], x, diagonals_format="sequence"),
    values(RNG.rand(3)), values(RNG.rand(4) + 3), values(RNG.rand(3)), values(RNG.randn(4, 2)))
for k in (0, 1, -2, (-1, 1), (0, 2)):
    add(f"diag_part {k}", lambda tf, x, k=k: tf.linalg.diag_part(x, k=k, padding_value=0.25), values(RNG.randn(2, 4, 5)))
for k, shape in ((0, (2, 3)), (1, (2, 3)), ((-1, 1), (3, 3)), ((0, 1), (2, 2, 3))):
    add(f"diag {k}", lambda tf, x, k=k: tf.linalg.diag(x, k=k, padding_value=9), values(RNG.randn(*shape)))
add("diag of a size", lambda tf, x: tf.linalg.diag(x, k=1, num_rows=3, num_cols=6), values(RNG.randn(3)))
add("set_diag", lambda tf, x, y: tf.linalg.set_diag(x, y, k=(0, 1)), values(RNG.randn(3, 4)), values(RNG.randn(2, 3)))
add("erosion2d", lambda tf, x, y: tf.nn.erosion2d(x, y, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"), values(RNG.randn(1, 4, 5, 2)), values(RNG.randn(2, 2, 2)))

for losses in ((), ([1.0, 0.0, 1.0],), (None, 10), ([1.0, 0.0, 1.0], 5)):
    add(f"compute_average_loss {losses}", lambda tf, x, l=losses: tf.nn.compute_average_loss(x, *l), values(RNG.rand(3)))
add("scale_regularization_loss", lambda tf, x: tf.nn.scale_regularization_loss(x), values(RNG.rand(3)))
add("vectorized_map", lambda tf, x, y: tf.vectorized_map(lambda t: (t[0] * 2, tf.reduce_sum(t[1]), tf.argmax(t[1])), (x, y)),
    values(RNG.rand(3)), values(RNG.rand(3, 2)))

DIAGONAL, MATRIX = values(RNG.rand(2, 3) + 1), values(RNG.rand(3, 3) + 2 * np.eye(3))
OPERATORS = {
    "full": lambda tf: tf.linalg.LinearOperatorFullMatrix(MATRIX),
    "diag": lambda tf: tf.linalg.LinearOperatorDiag(DIAGONAL),
    "lower": lambda tf: tf.linalg.LinearOperatorLowerTriangular(MATRIX),
    "identity": lambda tf: tf.linalg.LinearOperatorIdentity(3, batch_shape=[2]),
    "scaled": lambda tf: tf.linalg.LinearOperatorScaledIdentity(3, [2.0, 3.0]),
    "composition": lambda tf: tf.linalg.LinearOperatorComposition([tf.linalg.LinearOperatorFullMatrix(MATRIX), tf.linalg.LinearOperatorDiag(DIAGONAL)]),
    "blocks": lambda tf: tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorFullMatrix(MATRIX), tf.linalg.LinearOperatorDiag(DIAGONAL[0])]),
    "kronecker": lambda tf: tf.linalg.LinearOperatorKronecker([tf.linalg.LinearOperatorFullMatrix(MATRIX[:2, :2]), tf.linalg.LinearOperatorFullMatrix(MATRIX)]),
}


def operator(make):
    def case(tf):
        op = make(tf)
        size = op.shape.as_list()[-1]
        x = tf.reshape(tf.range(size * 2, dtype=tf.float32), [size, 2])
        x = x + tf.zeros(op.batch_shape.as_list() + [1, 1])
        results = [op.to_dense(), op.matmul(x), op.matmul(x, adjoint=True), op.solve(x), op.solve(x, adjoint=True), op.diag_part(), op.trace(),
                   op.determinant(), op.log_abs_determinant(), op.adjoint().to_dense(), op.inverse().matmul(x), op.matvec(x[..., 0]), op.shape_tensor(),
                   op.add_to_tensor(tf.ones(op.shape.as_list()))]
        return [str(op.shape), evaluate(tf, results)]
    return case


CASES.update({f"operator {name}": operator(make) for name, make in OPERATORS.items()})

POINTS = values(np.array([[0.1, 0.4, 0.7], [0.25, 0.6, 0.9]]))
COUNTS = np.float32([[1, 0, 2], [0, 3, 0]])
SHARES = np.float32([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
DISTRIBUTIONS = {
    "Normal": (lambda d, a: d.Normal(a, [1.0, 2.0, 3.0]), POINTS),
    "Uniform": (lambda d, a: d.Uniform(a - 0.5, a + 0.5), POINTS),
    "Bernoulli": (lambda d, a: d.Bernoulli(logits=a), np.int32([[0, 1, 1], [1, 0, 1]])),
    "Bernoulli of probs": (lambda d, a: d.Bernoulli(probs=a), np.int32([[0, 1, 1], [1, 0, 1]])),
    "Categorical": (lambda d, a: d.Categorical(logits=a), np.int32([2, 0])),
    "Categorical of probs": (lambda d, a: d.Categorical(probs=a / 2), np.int32([1, 0])),
    "Beta": (lambda d, a: d.Beta(a + 1, 3.0 - a), POINTS),
    "Dirichlet": (lambda d, a: d.Dirichlet(a + 1), SHARES),
    "Gamma": (lambda d, a: d.Gamma(a + 1, [2.0, 1.5, 3.0]), POINTS),
    "Exponential": (lambda d, a: d.Exponential(a), POINTS),
    "Laplace": (lambda d, a: d.Laplace(a, [1.0, 2.0, 3.0]), POINTS - 0.2),
    "StudentT": (lambda d, a: d.StudentT(a + 2.5, a, [1.0, 2.0, 3.0]), POINTS),
    "Multinomial": (lambda d, a: d.Multinomial(3.0, logits=a), COUNTS),
    "DirichletMultinomial": (lambda d, a: d.DirichletMultinomial(3.0, a + 1), COUNTS),
}
STATISTICS = ["mean", "variance", "stddev", "mode", "entropy", "covariance"]
FUNCTIONS = ["log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function", "quantile"]


def statistic(make, name):
    def case(tf):
        a = tf.constant(POINTS)
        y = getattr(make(tf.distributions, a), name)()
        gradients = [g for g in tf.gradients(y, [a]) if g is not None] if y.dtype.is_floating else []
        return [str(y.shape), evaluate(tf, [y] + gradients)]
    return case


def function(make, name, points):
    def case(tf):
        a, x = tf.constant(POINTS), tf.constant(points)
        y = getattr(make(tf.distributions, a), name)(x)
        gradients = [g for g in tf.gradients(y, [a, x]) if g is not None] if x.dtype.is_floating else []
        return [str(y.shape), evaluate(tf, [y] + gradients)]
    return case


def description(make):
    def case(tf):
        d = make(tf.distributions, tf.constant(POINTS))
        samples = d.sample([4, 5], seed=1)
        fixed = d.reparameterization_type == tf.distributions.FULLY_REPARAMETERIZED
        return [str(d.batch_shape), str(d.event_shape), str(d.dtype), str(samples.shape), str(d.sample().shape), fixed, d.name,
                evaluate(tf, [d.batch_shape_tensor(), d.event_shape_tensor(), tf.shape(samples)])]
    return case


def divergence(first, second):
    def case(tf):
        a = tf.constant(POINTS)
        kl = tf.distributions.kl_divergence(first(tf.distributions, a), second(tf.distributions, a * 0.9))
        return [str(kl.shape), evaluate(tf, [kl, tf.gradients(kl, a)[0]])]
    return case


# Both libraries raise NotImplementedError for methods that a distribution lacks.
for name, (make, points) in DISTRIBUTIONS.items():
    CASES[f"{name} itself"] = description(make)
    for method in STATISTICS:
        if (name, method) == ("Dirichlet", "mode"):
            continue  # TensorFlow's fails for batches
        CASES[f"{name} {method}"] = statistic(make, method)
    for method in FUNCTIONS:
        CASES[f"{name} {method}"] = function(make, method, points)
    CASES[f"{name} divergence"] = divergence(make, make)
CASES["divergence of different kinds"] = divergence(DISTRIBUTIONS["Normal"][0], DISTRIBUTIONS["Gamma"][0])
