"""How figures are written on the page: times in microseconds by default, in the unit that suits them, memory in MB."""
import statistics


def shown(name, value):
    if "memory" in name:
        return f"{value:.0f} MB"
    return f"{value / 1e6:.2f} s" if value >= 1e6 else f"{value / 1e3:.2f} ms" if value >= 1e3 else f"{value:.1f} us" if value >= 1 else f"{value * 1e3:.0f} ns"


def with_spread(name, values):
    """The median and, where there are several, the least and the most."""
    middle = shown(name, statistics.median(values))
    if len(values) < 2:
        return middle
    unit = middle.split()[1]
    low, high = (shown(name, value) for value in (min(values), max(values)))
    return f"{middle} ({low.removesuffix(' ' + unit)} .. {high})"
