"""Which functions and constants a shared library of another system offers, read from its bytes."""

from __future__ import annotations

from struct import unpack_from


def of_windows(data: bytes) -> set[str]:
    """Names in the export directory of a 64-bit DLL (Microsoft's PE format, sections .edata)."""
    (header,) = unpack_from("<I", data, 0x3C)
    assert data[:2] == b"MZ" and data[header : header + 4] == b"PE\0\0", "no PE file"
    sections, optional = unpack_from("<H", data, header + 6)[0], unpack_from("<H", data, header + 20)[0]
    assert unpack_from("<H", data, header + 24)[0] == 0x20B, "not of 64 bits"
    (directory,) = unpack_from("<I", data, header + 24 + 112)
    table = [unpack_from("<III", data, header + 24 + optional + 40 * k + 12) for k in range(sections)]

    def place(address: int) -> int:
        (found,) = (address - start + raw for start, size, raw in table if start <= address < start + size)
        return found

    (count,) = unpack_from("<I", data, place(directory) + 24)
    names = place(unpack_from("<I", data, place(directory) + 32)[0])
    starts = [place(unpack_from("<I", data, names + 4 * k)[0]) for k in range(count)]
    return {data[start : data.index(b"\0", start)].decode() for start in starts}


def of_macos(data: bytes) -> set[str]:
    """Names that a 64-bit Mach-O library defines and does not hide (mach-o/nlist.h), without their underscore."""
    magic, _, _, kind, commands = unpack_from("<5I", data)
    assert (magic, kind) == (0xFEEDFACF, 6), "no dynamic library of 64 bits"
    place, found = 32, set()
    for _ in range(commands):
        command, size = unpack_from("<2I", data, place)
        if command == 2:  # LC_SYMTAB
            symbols, count, strings, _ = unpack_from("<4I", data, place + 8)
            for k in range(count):
                start, type_ = unpack_from("<IB", data, symbols + 16 * k)
                begin = strings + start
                if type_ & 0xE0 == 0 and type_ & 0x11 == 0x01 and type_ & 0x0E == 0x0E:
                    found.add(data[begin : data.index(b"\0", begin)].decode().removeprefix("_"))
        place += size
    return found
