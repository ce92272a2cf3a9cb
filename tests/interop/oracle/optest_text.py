"""Splits an .optest file into cases: removes comments, joins lines inside brackets, expands tables and `for` lists."""
import collections
import re

# title is empty for a one-line case; lines are (number, text).
Case = collections.namedtuple("Case", "line title lines")
Block = collections.namedtuple("Block", "line head lines")


def read_cases(text):
    """Returns the cases in order. Functions are skipped, because cases that call them are not run (optest_graph.py)."""
    cases = []
    for block in read_blocks(text):
        if block.head.startswith("function "):
            continue
        for line, head, lines in fill_table(block):
            for filled_head, filled in fill_lists(head, lines):
                kind, _, title = filled_head.partition(" ")
                cases.append(Case(line, title, filled) if kind == "case" else Case(line, "", [(line, filled_head)]))
    return cases


def without_comment(line):
    """Returns the line without its comment, and the number of brackets that it leaves open."""
    quote, depth, i = None, 0, 0
    while i < len(line):
        c = line[i]
        if quote:
            if c == "\\":
                i += 1
            elif c == quote:
                quote = None
        elif c in "'\"":
            quote = c
        elif c == "#":
            break
        else:
            depth += (c in "({") - (c in ")}")
        i += 1
    return line[:i].rstrip(), depth


def read_blocks(text):
    blocks, parts, depth = [], [], 0
    for number, line in enumerate(text.split("\n"), 1):
        line, change = without_comment(line)
        if not line:
            continue
        if not parts:
            first, indented = number, line[0] in " \t"
        parts.append(line.strip())
        depth += change
        if depth > 0:
            continue
        if indented:
            blocks[-1].lines.append((first, " ".join(parts)))
        else:
            blocks.append(Block(first, " ".join(parts), []))
        parts = []
    return blocks


def fill(text, values):
    if not values:
        return text
    names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
    return re.sub(r"\$(%s)" % names, lambda match: values[match.group(1)], text)


def fill_all(head, lines, values):
    return fill(head, values), [(number, fill(text, values)) for number, text in lines]


def fill_table(block):
    rows = [(number, [cell.strip() for cell in text.strip("|").split("|")])
            for number, text in block.lines if text.startswith("|")]
    lines = [line for line in block.lines if not line[1].startswith("|")]
    if not rows:
        return [(block.line, block.head, lines)]
    names = rows[0][1]
    return [(number, *fill_all(block.head, lines, dict(zip(names, cells)))) for number, cells in rows[1:]]


def fill_lists(head, lines):
    match = re.fullmatch(r"(case .*) for (\w+) in (.*)", head)
    if not match:
        return [(head, lines)]
    return [filled for word in re.split(r"[ ,]+", match.group(3).strip())
            for filled in fill_lists(*fill_all(match.group(1), lines, {match.group(2): word}))]
