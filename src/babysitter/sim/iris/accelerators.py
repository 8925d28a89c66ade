"""Accelerators as clients read them in --gpu, --tpu and --reserve, with the words of their refusals."""

from collections.abc import Iterable

_GPUS = "A100 A10G B100 B200 GB200 H100 H200 L4 L40 L40S RTX4090 T4 V100"
_SINCE_MAY = "GH200"
# By family: the numbers of types that are one machine, the machines of number 16, the largest number.
# From 16 on, number and machines double.
_TPUS = {
    "v4": ((8,), 2, 4096),
    "v5litepod": ((1, 2, 4, 8), 4, 256),
    "v5p": ((8,), 2, 8192),
    "v6e": ((1, 4, 8), 4, 256),
}
_ODD_TPUS = {"v5p-12288": 1536}


class BadAccelerator(ValueError):
    """The client cannot read it; the text is that of its error."""


def check_gpu(spec: str, generation: str) -> str:
    """The name in --gpu, "" for a bare number. Raises BadAccelerator."""
    if not spec:
        raise BadAccelerator("GPU spec must not be empty")
    if spec.isdigit():
        return _counted("", spec)
    names = sorted(f"{_GPUS} {_SINCE_MAY}".split() if generation != "april" else _GPUS.split())
    for name in names:
        rest = spec[len(name) :] if spec.lower().startswith(name.lower()) else None
        if rest is not None and (not rest or (rest[0] == "x" and rest[1:].isdigit())):
            return _counted(name, rest[1:] or "1")
    raise BadAccelerator(
        f"Unknown GPU spec: {spec!r}. Expected a known variant (e.g., H100), VARIANTxCOUNT (e.g., H100x8), "
        f"or a bare count (e.g., 8). Known variants: {', '.join(names)}"
    )


def machines_of(tpu: str) -> int | None:
    """How many machines a slice of this type has; None for a type that clients do not know."""
    family, _, size = tpu.rpartition("-")
    if tpu in _ODD_TPUS:
        return _ODD_TPUS[tpu]
    if family not in _TPUS or not size.isdigit():
        return None
    single, machines, largest = _TPUS[family]
    if int(size) in single:
        return 1
    number = 16
    while number <= largest:
        if number == int(size):
            return machines
        number, machines = number * 2, machines * 2
    return None


def check_alternatives(spec: str) -> None:
    """The types of --tpu have as many machines each. Raises BadAccelerator."""
    types = [part.strip() for part in spec.split(",") if part.strip()]
    if not types:
        raise BadAccelerator("--tpu must specify at least one TPU variant")
    first = machines_of(types[0])
    for other in types[1:]:
        if (machines := machines_of(other)) != first:
            raise BadAccelerator(
                f"TPU alternative {other!r} has vm_count={machines} but primary {types[0]!r} has "
                f"vm_count={first}. All TPU alternatives must share the same vm_count."
            )


def check_reservations(specs: Iterable[str], generation: str) -> None:
    """Each --reserve is [COUNT:]DEVICE; August ignores the count. Raises BadAccelerator."""
    for spec in specs:
        count, has_count, device = spec.partition(":")
        device = device if has_count else spec
        if has_count and generation != "august":
            try:
                number = int(count)
            except ValueError as fault:
                raise BadAccelerator(str(fault)) from fault
            if number < 1:
                raise BadAccelerator(f"Reservation count must be >= 1, got {number}")
        if machines_of(device) is None:
            check_gpu(device, generation)


def _counted(name: str, count: str) -> str:
    if int(count) <= 0:
        raise BadAccelerator(f"GPU count must be positive, got {int(count)}")
    return name
