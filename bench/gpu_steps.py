"""Measures one training step (forward, backward, Adagrad) on a GPU, beside PyTorch and JAX where they are installed.

    python3 gpu_steps.py weir|torch|jax [MODEL...]     default: all models

Prints one JSON line per model and variant: the median time of a step in microseconds and the loss after the warm-up.
Resident: the batch is on the GPU, and the step is waited for. Fed: numpy arrays go in, and the loss comes back.
"""
import json
import os
import statistics
import sys
import time

import numpy as np

# Name: inputs of one example, batch, layers.
MODELS = {
    "linreg": {"input": [1], "batch": 1, "classes": 0, "layers": []},
    "softmax": {"input": [784], "batch": 100, "classes": 10, "layers": []},
    "mlp": {"input": [784], "batch": 32, "classes": 10, "layers": [1024, 1024]},
    "cnn": {"input": [28, 28, 1], "batch": 64, "classes": 10, "layers": ["conv 32", "conv 64", 1024]},
    "large": {"input": [4096], "batch": 1024, "classes": 4096, "layers": [8192, 8192]},
}
RATE = 0.01
WARM = 30


def batch_of(model):
    rng = np.random.RandomState(0)
    x = rng.rand(model["batch"], *model["input"]).astype(np.float32)
    if not model["classes"]:
        return x, (2 * x + 1).astype(np.float32)
    y = np.zeros([model["batch"], model["classes"]], np.float32)
    y[np.arange(model["batch"]), rng.randint(0, model["classes"], model["batch"])] = 1
    return x, y


def weights_of(model):
    """The initial weights and biases of all layers, equal for all frameworks."""
    rng = np.random.RandomState(1)
    shape, weights = list(model["input"]), []
    for layer in model["layers"] + [model["classes"] or 1]:
        if isinstance(layer, str):
            filters = int(layer.split()[1])
            size = [5, 5, shape[-1], filters]
            shape = [shape[0] // 2, shape[1] // 2, filters]
            fan_in = 25 * size[2]
        else:
            size = [int(np.prod(shape)), layer]
            shape, fan_in = [layer], size[0]
        weights.append((rng.randn(*size).astype(np.float32) * np.float32(np.sqrt(2.0 / fan_in)),
                        np.zeros([size[-1]], np.float32)))
    return weights


def measure(name, variant, step, loss, steps):
    for _ in range(WARM):
        step()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    print(json.dumps({"model": name, "variant": variant, "median_us": round(statistics.median(times) * 1e6, 1),
                      "best_us": round(min(times) * 1e6, 1), "loss": round(float(loss()), 6)}), flush=True)


def steps_of(name):
    return 100 if name == "large" else 500


def run_weir(name):
    import weir as tf
    model = MODELS[name]
    x_value, y_value = batch_of(model)
    device = os.environ.get("WEIR_BENCH_DEVICE", "/gpu:0")

    def build(x, y):
        value = x
        weights = weights_of(model)
        for i, (layer, (w, b)) in enumerate(zip(model["layers"] + [0], weights)):
            w, b = tf.Variable(w), tf.Variable(b)
            if isinstance(layer, str):
                value = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(value, w, [1, 1, 1, 1], "SAME"), b))
                value = tf.nn.max_pool(value, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
                continue
            if len(value.shape) > 2:
                value = tf.reshape(value, [-1, w.shape[0].value])
            value = tf.nn.bias_add(tf.matmul(value, w), b)
            if i < len(model["layers"]):
                value = tf.nn.relu(value)
        if not model["classes"]:
            loss = tf.reduce_mean(tf.square(value - y))
        else:
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=value, labels=y))
        return loss, tf.train.AdagradOptimizer(RATE).minimize(loss)

    for kind in ("resident", "fed"):
        with tf.Graph().as_default(), tf.device(device):
            if kind == "resident":
                x, y = tf.Variable(x_value, trainable=False), tf.Variable(y_value, trainable=False)
            else:
                x, y = (tf.placeholder(tf.float32, value.shape) for value in (x_value, y_value))
            loss, train = build(x, y)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                if kind == "resident":
                    measure(name, "weir resident", lambda: sess.run(train), lambda: sess.run(loss), steps_of(name))
                    call = sess.make_callable(train)
                    measure(name, "weir resident callable", call, lambda: sess.run(loss), steps_of(name))
                else:
                    last = []
                    feed = {x: x_value, y: y_value}

                    def step():
                        last[:] = sess.run([loss, train], feed)[:1]
                    measure(name, "weir fed", step, lambda: last[0], steps_of(name))
                    call = sess.make_callable([loss, train], [x, y])

                    def called():
                        last[:] = call(x_value, y_value)[:1]
                    measure(name, "weir fed callable", called, lambda: last[0], steps_of(name))


def run_torch(name):
    import torch
    import torch.nn.functional as F
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    model = MODELS[name]
    x_value, y_value = batch_of(model)

    def make():
        params = []
        for w, b in weights_of(model):
            w = torch.from_numpy(w)
            if w.ndim == 4:
                w = w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
            params.append((w.cuda().requires_grad_(), torch.from_numpy(b).cuda().requires_grad_()))
        flat = [p for pair in params for p in pair]
        # As TensorFlow's: accumulators start at 0.1.
        optimizer = torch.optim.Adagrad(flat, lr=RATE, initial_accumulator_value=0.1, eps=0, foreach=True)

        def loss_of(x, y):
            value = x
            for i, (layer, (w, b)) in enumerate(zip(model["layers"] + [0], params)):
                if isinstance(layer, str):
                    if i == 0:
                        value = value.permute(0, 3, 1, 2)
                    value = F.max_pool2d(F.relu(F.conv2d(value, w, b, padding=2)), 2)
                    continue
                if value.ndim > 2:
                    value = value.permute(0, 2, 3, 1).reshape(value.shape[0], -1)
                value = torch.addmm(b, value, w)
                if i < len(model["layers"]):
                    value = F.relu(value)
            return F.mse_loss(value, y) if not model["classes"] else F.cross_entropy(value, y)
        return optimizer, loss_of

    host_x, host_y = torch.from_numpy(x_value), torch.from_numpy(y_value)

    def eager_step(optimizer, loss_of):
        def step(x, y):
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(x, y)
            loss.backward()
            optimizer.step()
            return loss
        return step

    def both(variant, step):
        x, y = host_x.cuda(), host_y.cuda()
        last = [step(x, y)]

        def resident():
            last[0] = step(x, y)
            torch.cuda.synchronize()

        def fed():
            last[0] = step(host_x.cuda(), host_y.cuda()).item()
        measure(name, f"torch {variant} resident", resident, lambda: last[0].item(), steps_of(name))
        measure(name, f"torch {variant} fed", fed, lambda: last[0], steps_of(name))

    def graphed(variant, step):
        x, y = host_x.cuda(), host_y.cuda()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(5):
                step(x, y)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = step(x, y)
        pinned_x, pinned_y = host_x.pin_memory(), host_y.pin_memory()
        last = [0]

        def resident():
            graph.replay()
            torch.cuda.synchronize()

        def fed():
            pinned_x.copy_(host_x)
            pinned_y.copy_(host_y)
            x.copy_(pinned_x, non_blocking=True)
            y.copy_(pinned_y, non_blocking=True)
            graph.replay()
            last[0] = loss.item()
        measure(name, f"torch {variant} resident", resident, lambda: loss.item(), steps_of(name))
        measure(name, f"torch {variant} fed", fed, lambda: last[0], steps_of(name))

    both("eager", eager_step(*make()))

    def manual(params, sums, loss_of):
        def step(x, y):
            loss = loss_of(x, y)
            grads = torch.autograd.grad(loss, params)
            with torch.no_grad():
                torch._foreach_addcmul_(sums, grads, grads, 1.0)
                torch._foreach_addcdiv_(params, grads, torch._foreach_sqrt(sums), -RATE)
            return loss
        return step
    for variant, compiled in (("graph", False), ("compiled graph", True)):
        optimizer, loss_of = make()
        params = optimizer.param_groups[0]["params"]
        sums = [torch.full_like(p, 0.1) for p in params]
        step = manual(params, sums, loss_of)
        if compiled:
            step = manual(params, sums, torch.compile(loss_of))
        try:
            graphed(variant, step)
        except Exception as error:  # say so, and go on with the other variants
            print(json.dumps({"model": name, "variant": f"torch {variant}", "error": str(error)[:300]}), flush=True)


def run_jax(name):
    import jax
    import jax.numpy as jnp
    model = MODELS[name]
    x_value, y_value = batch_of(model)
    params = [(jnp.asarray(w), jnp.asarray(b)) for w, b in weights_of(model)]
    sums = jax.tree_util.tree_map(lambda p: jnp.full_like(p, 0.1), params)

    def loss_of(params, x, y):
        value = x
        for i, (layer, (w, b)) in enumerate(zip(model["layers"] + [0], params)):
            if isinstance(layer, str):
                value = jax.lax.conv_general_dilated(value, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
                value = jax.nn.relu(value + b)
                value = jax.lax.reduce_window(value, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
                continue
            if value.ndim > 2:
                value = value.reshape(value.shape[0], -1)
            value = value @ w + b
            if i < len(model["layers"]):
                value = jax.nn.relu(value)
        if not model["classes"]:
            return jnp.mean((value - y)**2)
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(value) * y, axis=1))

    def update(params, sums, x, y):
        loss, grads = jax.value_and_grad(loss_of)(params, x, y)
        sums = jax.tree_util.tree_map(lambda s, g: s + g * g, sums, grads)
        params = jax.tree_util.tree_map(lambda p, s, g: p - RATE * g / jnp.sqrt(s), params, sums, grads)
        return params, sums, loss

    step = jax.jit(update, donate_argnums=(0, 1))
    state = [params, sums, None]
    x, y = jnp.asarray(x_value), jnp.asarray(y_value)

    def resident():
        state[:] = step(state[0], state[1], x, y)
        state[2].block_until_ready()
        jax.block_until_ready(state[0])

    def fed():
        state[:] = step(state[0], state[1], x_value, y_value)
        float(state[2])
    measure(name, "jax resident", resident, lambda: state[2], steps_of(name))
    measure(name, "jax fed", fed, lambda: state[2], steps_of(name))


def main():
    kinds = {"weir": run_weir, "torch": run_torch, "jax": run_jax}
    if len(sys.argv) < 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    for name in sys.argv[2:] or MODELS:
        try:
            kinds[sys.argv[1]](name)
        except Exception as error:  # the other models are still measured
            print(json.dumps({"model": name, "variant": sys.argv[1], "error": repr(error)[:2000]}), flush=True)


if __name__ == "__main__":
    main()
