"""Test cases that run in TensorFlow's interpreter. Every module *_cases.py has a function make(recorder), which
make_cases.py calls."""
