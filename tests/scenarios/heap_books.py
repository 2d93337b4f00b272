"""What a profile says of the heap; for the tests of record --heap."""

from harness import check

BOOKS = ("allocations", "allocated_bytes", "frees", "freed_bytes", "live_blocks", "live_bytes", "peak_bytes",
         "peak_uncertainty_bytes", "unknown_frees", "early_frees", "dropped", "without_stack")


class Heap:
    """What a profile says of the heap, and that it adds up."""

    def __init__(self, profile):
        self.profile = profile
        self.__dict__.update(zip(BOOKS, profile.rows(f"select {', '.join(BOOKS)} from heap")[0]))
        check(self.allocations - self.frees == self.live_blocks, "blocks do not balance")
        check(self.allocated_bytes - self.freed_bytes == self.live_bytes, "bytes do not balance")
        sums_of = ", ".join(f"coalesce(sum({column}), 0)" for column in (
            "allocations", "allocated_bytes", "live_blocks", "live_bytes", "peak_bytes"))
        for view in ("allocation_sites", "heap_functions", "heap_kinds", "heap_sizes"):
            sums = profile.rows(f"select {sums_of} from {view}")[0]
            whole = (self.allocations, self.allocated_bytes, self.live_blocks, self.live_bytes,
                     self.peak_bytes)
            check(tuple(sums) == whole, f"{view} sums to {sums}, not {whole}")
        for metric, whole in ("allocations", self.allocations), ("allocated", self.allocated_bytes):
            by_time, least = profile.rows("select sum(self), min(self) from series where metric = ?", metric)[0]
            check(by_time in (None, whole) and (least or 0) >= 0, f"{metric} by time: {by_time} of {whole}")

    def site(self, function):
        return self.profile.rows("select sum(allocations), sum(allocated_bytes), sum(live_bytes)"
                                 " from allocation_sites where function_name = ?", function)[0]
