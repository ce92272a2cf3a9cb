"""Generates small SVG plots: ratio bars with goals, line plots over the size of a cluster, and stacked bars.

The plots have no background. Their colours are readable on white and on black, and adapt to the reader's colour scheme
if it is known. Value axes are logarithmic.
"""
import html
import math

STYLE = """<style>
text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #6e7781; } .title { font-size: 14px; font-weight: 600; } .small { font-size: 11px; }
.grid { stroke: #8c959f; stroke-opacity: .35; } .met { fill: #2da44e; } .missed { fill: #d1542c; } .plain { fill: #8c959f; }
.goal { stroke: #57606a; stroke-width: 2; } .line { fill: none; stroke-width: 2; } .c0 { stroke: #0969da; } .c1 { stroke: #bf5f00; }
.d0 { fill: #0969da; } .d1 { fill: #bf5f00; } .w0 { stroke: #0969da; } .w1 { stroke: #bf5f00; }
.s1 { stroke-dasharray: 6 4; } .s2 { stroke-dasharray: 2 3; } .on { font-size: 11px; fill: #fff; }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9; } .goal { stroke: #e6edf3; } .c0 { stroke: #58a6ff; } .d0 { fill: #58a6ff; }
.c1 { stroke: #e3933b; } .d1 { fill: #e3933b; } .w0 { stroke: #58a6ff; } .w1 { stroke: #e3933b; } .met { fill: #3fb950; } .missed { fill: #f0724d; } }
</style>"""


def text(x, y, content, anchor="start", kind=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{html.escape(str(content))}</text>'


def document(width, height, parts, title):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
                      f"<title>{html.escape(title)}</title>", STYLE, *parts, "</svg>", ""])


def times(value):
    return f"{value:.2g}x" if value < 10 else f"{value:.0f}x"


def ratio_bars(title, rows):
    """rows: (name, how many times better, the goal in the same unit or None)."""
    left, right, bar, top = 190, 70, 18, 62
    width, height = 760, top + bar * len(rows) + 14
    most = max(max(better, goal or 0) for _, better, goal in rows)
    low, high = math.log10(min(0.8, *(better for _, better, _ in rows))), math.log10(most * 1.1)

    def x(value):
        return left + (math.log10(value) - low) / (high - low) * (width - left - right)

    parts = [text(8, 18, title, kind="title"),
             text(8, 36, "How many times less than TensorFlow's figure, logarithmic. The mark is the goal: green bars reach it, red ones do not.", kind="small")]
    for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        if low <= math.log10(tick) <= high:
            parts.append(f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top - 4}" y2="{height - 12}"/>')
            parts.append(text(x(tick), top - 6, f"{tick}x", "middle", "small"))
    for i, (name, better, goal) in enumerate(rows):
        y = top + i * bar
        kind = "plain" if goal is None else "met" if better >= goal else "missed"
        start, end = sorted((x(1), x(better)))
        parts.append(text(left - 8, y + 12, name, "end"))
        parts.append(f'<rect class="{kind}" x="{start:.1f}" y="{y + 2}" width="{max(end - start, 1):.1f}" height="{bar - 5}" rx="2"/>')
        if goal is not None:
            parts.append(f'<line class="goal" x1="{x(goal):.1f}" x2="{x(goal):.1f}" y1="{y}" y2="{y + bar - 1}"/>')
        parts.append(text(max(x(better), x(goal or better)) + 6, y + 12, times(better), kind="small"))
    return document(width, height, parts, title)


def lines(title, x_name, y_name, curves):
    """curves: (name, colour 0 or 1, style 0 to 2, [(x, y, minimum, maximum)]). REQUIRES: at least one point."""
    left, right, top, bottom = 64, 252, 50, 44
    width, height = 830, 400
    points = [point for *_, curve in curves for point in curve]
    sizes = sorted({x for x, *_ in points})
    low, high = math.log10(min(least for *_, least, _ in points) * 0.8), math.log10(max(most for *_, most in points) * 1.25)
    last = math.log2(sizes[-1] / sizes[0]) or 1

    def at(x, y):
        return (left + math.log2(x / sizes[0]) / last * (width - left - right), height - bottom - (math.log10(y) - low) / (high - low) * (height - top - bottom))

    parts = [text(8, 18, title, kind="title"), text(8, 36, y_name, kind="small"), text((left + width - right) / 2, height - 8, x_name, "middle", "small")]
    ends = []
    for exponent in range(math.floor(low), math.ceil(high) + 1):
        for digit in (1, 2, 5):
            tick = digit * 10.0**exponent
            if low <= math.log10(tick) <= high:
                y = at(sizes[0], tick)[1]
                parts.append(f'<line class="grid" x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
                parts.append(text(left - 6, y + 4, f"{tick:g} us" if tick < 1000 else f"{tick / 1000:g} ms", "end", "small"))
    for size in sizes:
        parts.append(text(at(size, 10**low)[0], height - bottom + 18, size, "middle", "small"))
    for name, colour, style, curve in curves:
        if not curve:
            continue
        path = " ".join("%.1f,%.1f" % at(x, y) for x, y, *_ in curve)
        parts.append(f'<polyline class="line c{colour} s{style}" points="{path}"/>')
        for x, y, least, most in curve:
            if least < most:
                parts.append('<line class="w%d" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (colour, *at(x, least), *at(x, most)))
            parts.append('<circle class="d%d" cx="%.1f" cy="%.1f" r="3"/>' % (colour, *at(x, y)))
        ends.append((*reversed(at(*curve[-1][:2])), colour, style, name))
    previous = -math.inf
    for y, x, colour, style, name in sorted(ends):  # names next to the ends of their lines, without overlaps
        previous = max(y, previous + 16)
        parts.append(f'<line class="line c{colour} s{style}" x1="{width - right + 8}" x2="{width - right + 32}" y1="{previous:.1f}" y2="{previous:.1f}"/>')
        parts.append(text(width - right + 38, previous + 4, name))
    return document(width, height, parts, title)


# Fills on which white text is readable, in the order of the parts: overhead, parameter servers (green), workers.
PART_COLOURS = ["#8250df", "#bf3989", "#7d8590", "#57606a", "#116329", "#2da44e", "#0969da", "#3e4bb8", "#cf222e", "#bc4c00"]
LEAST_LABELLED = 0.055  # fraction of a bar


def stacks(title, rows, order):
    """rows: (name, text for the total, {part: size}); order: the parts, at most one per colour. All bars have the same
    length."""
    left, right, bar, gap, top, columns = 70, 90, 26, 10, 48, 3
    names = [name for name in order if any(parts.get(name) for *_, parts in rows)]
    width = 800
    bottom = top + len(rows) * (bar + gap)
    height = bottom + 12 + 20 * math.ceil(len(names) / columns)
    drawn = [text(8, 18, title, kind="title"), text(8, 36, "Shares of a step of one worker; its time is on the right.", kind="small")]
    for i, (row, whole, parts) in enumerate(rows):
        y, x, total = top + i * (bar + gap), left, sum(parts.values())
        drawn.append(text(left - 8, y + bar / 2 + 4, row, "end"))
        for name in names:
            share = parts.get(name, 0) / total
            wide = share * (width - left - right)
            if wide > 0:
                drawn.append(f'<rect fill="{PART_COLOURS[order.index(name)]}" x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{bar}">'
                             f'<title>{html.escape(f"{row}, {name}: {share:.1%}")}</title></rect>')
            if share >= LEAST_LABELLED:
                drawn.append(text(x + wide / 2, y + bar / 2 + 4, f"{share:.0%}", "middle", "on"))
            x += wide
        drawn.append(text(width - right + 8, y + bar / 2 + 4, whole))
    for i, name in enumerate(names):
        x, y = left + i % columns * 240, bottom + 12 + i // columns * 20
        drawn.append(f'<rect fill="{PART_COLOURS[order.index(name)]}" x="{x}" y="{y - 10}" width="12" height="12" rx="2"/>')
        drawn.append(text(x + 18, y, name))
    return document(width, height, drawn, title)
