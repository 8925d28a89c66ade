"""What ssh prints when it fails (measured with OpenSSH 9.2), as half a sentence with the next step."""

import pytest

from babysitter.backends.ray.sessions.remote_fault import may_ask, remote_fault

TRIED = ("ssh", "-o", "BatchMode=yes", "-p", "22", "ada@10.0.0.2", "true")
BY_HAND = "`ssh -p 22 ada@10.0.0.2 true`"
CHANGED = (
    "@@@@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@@@@\n"
    "Host key for 10.0.0.2 has changed and strict checking is on.\nHost key verification failed.\n"
)
USAGE = "unknown option -- -\nusage: ssh [-46AaCfGg] [-B interface]\n  destination [command [argument ...]]\n"


@pytest.mark.parametrize(
    ("printed", "why", "step"),
    [
        ("Host key verification failed.\n", "Host key verification failed", "accept it"),
        (CHANGED, "Host key verification failed", "ssh-keygen -R"),
        ("ada@10.0.0.2: Permission denied (publickey).\n", "Permission denied (publickey)", "-i KEY"),
        ("ssh: Could not resolve hostname x: Name or service not known\n", "not resolve", "--ray-session"),
        ("ssh: connect to host h port 22: Connection refused\n", "Connection refused", "in a shell"),
        ("bind: in use\nCould not request local forwarding.\n", "forwarding", "ClearAllForwardings"),
        (USAGE, "unknown option -- -", "in a shell"),
        ("usage: kubectl exec\n", "usage: kubectl exec", "in a shell"),
        ("", "exit code 255", "in a shell"),
    ],
)
def test_remote_fault_has_reason_and_next_step(printed, why, step):
    fault = remote_fault(printed, 255, TRIED)
    assert why in fault.why
    assert step in fault.next_step
    assert "ClearAll" in fault.next_step or BY_HAND in fault.next_step
    assert not fault.why.endswith(".")


@pytest.mark.parametrize("option", [("-o", "BatchMode=yes"), ("-oBatchMode=yes",), ("-o", "batchmode yes")])
def test_command_by_hand_may_ask(option):
    assert may_ask(("ssh", *option, "-p", "2", "h")) == ("ssh", "-p", "2", "h")
    assert may_ask(("ssh", "-o", "BatchMode=no", "h")) == ("ssh", "-o", "BatchMode=no", "h")
