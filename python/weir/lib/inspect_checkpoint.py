"""tensorflow.python.tools.inspect_checkpoint: prints what a checkpoint holds."""
from weir import _weir


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False, count_exclude_pattern=""):
    """Prints one tensor, all tensors, or their names, types and shapes."""
    reader = _weir.NewCheckpointReader(file_name)
    shapes = reader.get_variable_to_shape_map()
    if all_tensors or all_tensor_names:
        types = reader.get_variable_to_dtype_map()
        for name in sorted(shapes):
            print(f"tensor_name: {name} ({types[name].name}) {','.join(map(str, shapes[name]))}" if all_tensors else f"tensor_name: {name}")
            if all_tensors:
                print(reader.get_tensor(name))
    elif not tensor_name:
        for name in sorted(shapes):
            print(f"{name} {shapes[name]}")
    else:
        if not reader.has_tensor(tensor_name):
            print(f"Tensor {tensor_name} not found in checkpoint")
            return
        print("tensor_name: ", tensor_name)
        print(reader.get_tensor(tensor_name))
