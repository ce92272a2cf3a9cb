"""What runs in TensorFlow's interpreter: every module *_cases.py has a function make(recorder), found by make_cases.py."""
