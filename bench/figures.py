"""Formats figures for the page: times (given in microseconds) in a suitable unit, memory in MB."""
import statistics


def shown(name, value):
    if "memory" in name:
        return f"{value:.0f} MB"
    return f"{value / 1e6:.2f} s" if value >= 1e6 else f"{value / 1e3:.2f} ms" if value >= 1e3 else f"{value:.1f} us" if value >= 1 else f"{value * 1e3:.0f} ns"


def with_spread(name, values):
    """Formats the median and, if there are several values, the minimum and maximum."""
    middle = shown(name, statistics.median(values))
    if len(values) < 2:
        return middle
    unit = middle.split()[1]
    low, high = (shown(name, value) for value in (min(values), max(values)))
    return f"{middle} ({low.removesuffix(' ' + unit)} .. {high})"
