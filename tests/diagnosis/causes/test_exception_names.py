import pytest

from babysitter.diagnosis.causes.exception_names import cause_of_exception

_NAMED = [
    ("network-timeout", "kafka.errors.NoBrokersAvailable: NoBrokersAvailable"),
    ("config-error", "psycopg2.errors.UndefinedTable: relation"),
    ("actor-died", "vllm.v1.engine.exceptions.EngineDeadError: see above"),
    ("auth-error", "acme.errors.TokenExpired: renew it"),
    ("data-error", "acme.reader.TruncatedBlockError: block 7"),
    ("host-oom", "acme.OutOfMemoryException: 4 GB"),
    ("network-timeout", "acme.ConfigTimeout: of two nouns the last one counts"),
    ("config-error", "google.api_core.exceptions.NotFound: 404 disk"),
    ("storage-error", "redis.exceptions.ReadOnlyError: replica"),
    ("network-timeout", "io.grpc.StatusRuntimeException: UNAVAILABLE: io exception"),
    ("auth-error", "rpc error: code = PermissionDenied desc = no"),
    ("data-error", "DATA_LOSS: bytes are gone"),
]


@pytest.mark.parametrize(("cause", "message"), _NAMED, ids=[row[1] for row in _NAMED])
def test_cause_of_exception_by_its_name(cause: str, message: str) -> None:
    named = cause_of_exception(message)
    assert named is not None
    assert named[0] == cause


@pytest.mark.parametrize(
    "message", ["TimeoutPolicy set", "ConnectionPool has 3", "loss: 1.2", "acme.Error: x", "STEP: done", ""]
)
def test_cause_of_exception_without_a_name(message: str) -> None:
    assert cause_of_exception(message) is None
