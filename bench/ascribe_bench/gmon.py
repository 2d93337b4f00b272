"""Reads what a gprof build leaves: gmon.out, as glibc's sys/gmon_out.h lays it out."""
import struct

HEADER_BYTES = 20
HISTOGRAM = struct.Struct("<QQII15sc")
ARC_BYTES = 20


def charged_seconds(path):
    """The time that gprof charges to the program: all ticks of the histograms."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"gmon":
        raise ValueError(path + ": not a gmon.out")
    offset, seconds = HEADER_BYTES, 0.0
    while offset < len(data):
        tag = data[offset]
        offset += 1
        if tag == 1:
            offset += ARC_BYTES
        elif tag == 0:
            _, _, bins, rate, *_ = HISTOGRAM.unpack_from(data, offset)
            offset += HISTOGRAM.size
            seconds += sum(struct.unpack_from("<%dH" % bins, data, offset)) / rate
            offset += 2 * bins
        else:
            raise ValueError("%s: record of unknown kind %d" % (path, tag))
    return seconds
