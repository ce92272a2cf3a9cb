"""Tables of public names; weir/_names.py says how to read them. One file per area, every file has one dict: NAMES."""
