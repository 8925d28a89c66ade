"""What GPUs do: of odd answers of the dashboard and of nvidia-smi what can be read is read."""

import pytest

from babysitter.backends.ray.dashboard.gpu_use import of_nvidia_smi, of_process, of_summary
from babysitter.model.device_use import DeviceUse

GIB = 2**30


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "0, 97, 72704, 81920\n1, 0, 3, 81920\n",
            ["GPU 0: 97 % busy, 71.0 of 80 GB", "GPU 1: 0 % busy, 0.0 of 80 GB"],
        ),
        ("0, [N/A], 1024, 40960\n", ["GPU 0: 1.0 of 40 GB"]),
        ("0, 5, [N/A], [N/A]\n", []),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", []),
        ("", []),
    ],
)
def test_gpu_use_of_nvidia_smi(text, shown):
    assert [device.text for device in of_nvidia_smi(text)] == shown


@pytest.mark.parametrize(
    "row", [None, "x", {}, {"memoryUsed": -1, "memoryTotal": 5}, {"memoryUsed": 1, "memoryTotal": "x"}]
)
def test_gpu_use_of_an_odd_row(row):
    assert of_summary([row]) == ()


def test_gpu_use_of_a_list_of_processes():
    row = {
        "index": 2,
        "memoryUsed": 1024,
        "memoryTotal": 2048,
        "processesPids": [{"pid": 7}, {"pid": True}, 3],
    }
    (found,) = of_summary([row])
    assert (found.name, found.pids) == ("GPU 2", (7,))


def test_gpu_use_of_one_process():
    mine, other = DeviceUse("GPU 0", 1, GIB, pids=(7,)), DeviceUse("GPU 1", 1, GIB, pids=(8,))
    unknown = DeviceUse("GPU 2", 1, GIB)
    assert of_process((mine, other), 7) == (mine,)
    assert of_process((mine, other), 9) == ()
    assert of_process((unknown,), 7) == (unknown,)
