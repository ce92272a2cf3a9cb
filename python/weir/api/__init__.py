"""Tables of public names, one file per area. Every file defines one dict, NAMES. weir/_names.py defines the entry
format."""
