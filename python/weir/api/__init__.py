"""Tables of public names, one file per area. Each file defines one dict, NAMES. See weir/_names.py for the format."""
