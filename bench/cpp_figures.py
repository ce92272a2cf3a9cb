"""Formats the results of build/weir_bench (Google Benchmark) as a section of the page, with the machine's limits."""
import math
import statistics

from figures import with_spread

RATES = ("flops", "bytes_per_second", "items_per_second")
# Groups of benchmarks: the first part of their names, and what each measures.
GROUPS = {
    "Executor": {"ScalarRun": "a step of two ops, fed and fetched", "Chain": "ops in sequence",
                 "Fresh": "1000 ops in sequence, each of which creates a tensor of that many floats", "Wide": "a tree of ops", "Loop": "iterations of a while loop",
                 "CompileSignature": "the first step of a graph of that many ops"},
    "Rendezvous": {"Rendezvous": "one value is sent and received while that many other receivers wait"},
    "Transports": {"Call": "a call with a request of that many bytes and a response of 8 bytes, over each transport"},
    "Kernels, on one thread": {"MatMul": "[m,k] x [k,n]", "Conv2D": "number and size of the images, input and output channels; 5 x 5 filters",
                               "ApplyAdagrad": "number of floats", "GatherRows": "rows of 64 floats, gathered from a million", "Tanh": "floats",
                               "Add": "floats"},
    "The machine, on one thread": {"MachineCopy": "memcpy of that many bytes", "MachineUpdate": "y += x of that many floats",
                                   "MachineMultiplyAdd": "multiply-adds in registers of the largest width"},
}
OTHERS = "Others"


def rows_of(document):
    """Returns the rows of Google Benchmark's JSON that succeeded: name, microseconds, rates.

    Google Benchmark gives rates per second of CPU time unless the name ends in /real_time; all are converted to real
    time.
    """
    scale = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
    rows = []
    for row in document["benchmarks"]:
        if row.get("run_type") == "aggregate" or row.get("error_occurred"):
            continue
        factor = 1 if row["name"].endswith("/real_time") else row["cpu_time"] / row["real_time"]
        rows.append({"name": row["name"].removeprefix("BM_").removesuffix("/real_time"), "us": row["real_time"] * scale[row["time_unit"]],
                     **{rate: row[rate] * factor for rate in RATES if rate in row}})
    return rows


class Benchmark:
    """The results of all rounds of one benchmark."""

    def __init__(self, rows):
        self.name = rows[0]["name"]
        self.family = self.name.split("/")[0]
        self.times = [row["us"] for row in rows]
        self.rates = {rate: statistics.median(row[rate] for row in rows) for rate in RATES if all(rate in row for row in rows)}

    @property
    def bytes(self):
        return self.rates.get("bytes_per_second", 0) * statistics.median(self.times) / 1e6

    def rate(self):
        if "flops" in self.rates:
            return f"{self.rates['flops'] / 1e9:.1f} GFLOP/s"
        if self.bytes >= 1024:
            return f"{self.rates['bytes_per_second'] / 1e9:.2f} GB/s"
        return f"{1e9 / self.rates['items_per_second']:.0f} ns each" if "items_per_second" in self.rates else ""

    def limit(self, machine):
        """Returns (limit of the machine, its text), or None if it is unknown or not meaningful."""
        if self.family.startswith("Machine"):
            return None
        if "flops" in self.rates:
            peak = next((b.rates["flops"] for b in machine if "flops" in b.rates), None)
            return peak and (peak, f"{peak / 1e9:.0f} GFLOP/s")
        # A copy reads and writes each byte. For calls only the bytes of the message count; for kernels, bytes read and
        # written.
        factors = {"MachineCopy": 1 if self.family == "Call" else 2}
        if self.family.startswith("Apply"):
            factors["MachineUpdate"] = 1
        alike = [(b.bytes * factors[b.family], b.rates["bytes_per_second"] * factors[b.family]) for b in machine if b.family in factors]
        if not alike or self.bytes < 1024:
            return None
        _, peak = min(alike, key=lambda size_and_rate: abs(math.log(size_and_rate[0] / self.bytes)))
        return peak, f"{peak / 1e9:.1f} GB/s"

    def line(self, machine):
        limit = self.limit(machine)
        share = f"{self.rates['flops' if 'flops' in self.rates else 'bytes_per_second'] / limit[0]:.0%}" if limit else ""
        return f"| {self.name} | {with_spread('', self.times)} | {self.rate()} | {limit[1] if limit else ''} | {share} |"


def lines(rows):
    """Returns the lines of the section, by group. Benchmarks without a group come last."""
    if not rows:
        return []
    by_name = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    benchmarks = [Benchmark(group) for group in by_name.values()]
    machine = [b for b in benchmarks if b.family.startswith("Machine")]
    known = {family for families in GROUPS.values() for family in families}
    groups = {**GROUPS, OTHERS: {b.family: "" for b in benchmarks if b.family not in known}}
    out = ["", "## In C++", "",
           "Google Benchmark, `build/weir_bench`; the numbers in a name are its sizes. The column 'the machine' is a limit measured on one thread: for "
           "products and convolutions, the multiply-adds of a core (a convolution counts those of the direct method; Winograd's needs fewer); for the rest, "
           "a copy of about as many bytes or, for big updates, `y += x`. For calls, only the bytes of the message count; for kernels, all bytes read and "
           "written."]
    for title, families in groups.items():
        members = [b for b in benchmarks if b.family in families]
        if not members:
            continue
        about = "; ".join(f"{family}: {what}" for family, what in families.items() if what and any(b.family == family for b in members))
        out += ["", f"**{title}.** {about}".rstrip() + ("." if about else ""), "", "| benchmark | time | rate | the machine | share |", "|---|---|---|---|---|",
                *(b.line(machine) for b in members)]
    return out
