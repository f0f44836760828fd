"""Prefixes that cannot be had: their header would hide another of that name, or their names are somebody else's.

An export puts PREFIX.h on the include path, and defines PREFIX_OK. Names are compared in small letters: file systems
may not tell them from capitals.
"""

from __future__ import annotations

from symvi.errors import SymviError
from symvi.mechanism.names import checked_name, shown

__all__ = ["check_prefix"]

# whose headers -> their names
_HEADERS = {
    "the C library": (
        "assert complex ctype errno fenv inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
        "stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
    ),
    "POSIX": (
        "aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen libintl monetary mqueue ndbm "
        "netdb nl_types poll pthread pwd regex sched search semaphore spawn strings stropts syslog tar termios trace "
        "ulimit unistd utime utmpx wordexp"
    ),
    "usual C libraries": (
        "alloca ar argp argz byteswap elf endian envlib err error execinfo features fts getopt libio link malloc "
        "memory mntent newlib nss obstack paths picolibc printf pty reent resolv semihost stab stdio_ext sysexits "
        "thread_db uchar ucontext utmp values varargs wait xlocale"
    ),
    "Windows": "conio crtdefs direct dos intrin io malloc mem process share tchar windows winsock winsock2",
    "FreeRTOS": (
        "atomic croutine event_groups freertos freertosconfig list message_buffer mpu_wrappers portable portmacro "
        "projdefs queue semphr stack_macros stream_buffer task timers"
    ),
    "Zephyr": "autoconf device init irq kernel toolchain version",
    "ThreadX": "nx_api nx_port tx_api tx_port tx_user",
    "other systems of controllers": "ch chconf halconf mbed mcuconf os os_cfg rtconfig rtdef rthw rtthread ucos_ii",
    "Arm's CMSIS": (
        "arm_acle arm_common_tables arm_const_structs arm_fp16 arm_math arm_math_types arm_mve arm_neon cmsis_armcc "
        "cmsis_armclang cmsis_compiler cmsis_gcc cmsis_iccarm cmsis_os cmsis_os2 cmsis_version"
    ),
    "ESP-IDF": "esp_err esp_event esp_log esp_system esp_timer sdkconfig",
    "Arduino's core": (
        "arduino client eeprom ethernet hardwareserial print printable server servo softwareserial spi stream udp wire "
        "wiring"
    ),
    "projects for STM32": (
        "adc can crc dac dma fmc gpio i2c iwdg quadspi rtc sdio tim usart usb_device usb_host wwdg"
    ),
    "the export's own self-test": "golden",
}  # fmt: skip
# what Windows takes for a device whatever its suffix: no file is called so there
_DEVICES = {"aux", "con", "nul", "prn", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
# whose macro or constant PREFIX_OK is
_OK = {
    "POSIX": "f r w x",
    "OSEK and AUTOSAR": "e",
    "zlib": "z",
    "ESP-IDF": "esp",
    "ST's HAL": "hal usbd usbh",
    "FatFs": "fr",
    "the Pico SDK": "pico",
    "CMSIS-Driver": "arm_driver",
    "SQLite": "sqlite",
}
_OWNER = {name: owner for owner, names in _HEADERS.items() for name in names.split()}
_OWNER_OF_OK = {name: owner for owner, names in _OK.items() for name in names.split()}
# every export with prefix A has structs A_body_..., A_common_...: those of an export with prefix A_body
_ENDS = ("_body", "_common")


def check_prefix(prefix: object) -> None:
    """Raises SymviError, with the reason, for a prefix that is no name in C or that belongs to somebody else."""
    try:
        name = checked_name(prefix)
    except ValueError as error:
        raise SymviError(f"prefix {shown(prefix)} {error}") from None
    low = name.lower()
    if low in _OWNER:
        raise SymviError(f"prefix '{name}': <{low}.h> is a header of {_OWNER[low]}; choose another prefix")
    if low in _DEVICES:
        raise SymviError(f"prefix '{name}': no file can be called {name}.h on Windows; choose another prefix")
    if low in _OWNER_OF_OK:
        raise SymviError(f"prefix '{name}': {name.upper()}_OK is a name of {_OWNER_OF_OK[low]}; choose a longer prefix")
    for end in _ENDS:
        if low.endswith(end):
            short = name[: -len(end)]
            raise SymviError(
                f"prefix '{name}': an export with the prefix '{short}' has names that begin with '{name}_' too; "
                "choose a prefix with another end"
            )
