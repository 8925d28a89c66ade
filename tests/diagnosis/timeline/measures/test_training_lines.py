"""Lines of trainers become numbers; text that only looks like them stays text."""

import math
from datetime import UTC, datetime

import pytest

from babysitter.diagnosis.timeline.measures.training_lines import progress_of, read_step

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "step", "total", "loss"),
    [
        (
            "Progress on:train 1.20kit/10.0kit rate:1.8it/s remaining:1:20:01 postfix:loss=3.21",
            1200,
            10000,
            3.21,
        ),
        ("Progress on:train -it/1.00kit rate:-it/s remaining:? elapsed:00:01 postfix:-", None, 1000, None),
        ("{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.03}", None, None, 2.31),
        ("{'loss': '2.31', 'grad_norm': '1.2', 'epoch': '0.03'}", None, None, 2.31),
        ('{"step": 40, "train/loss": 2.5, "lr": 0.001}', 40, None, 2.5),
        ("  3%|▎         | 100/3000 [01:23<40:12,  1.20it/s]", 100, 3000, None),
        ("Epoch 4:  12%|█▏        | 120/1000 [00:30<03:40,  4.00it/s, loss=1.2, v_num=3]", 120, 1000, 1.2),
        (
            "(TrainActor pid=12, ip=192.0.2.4) Training:  12%|#  | 120/1000 [01:00<10:00, 2.3s/step]",
            120,
            1000,
            None,
        ),
        ("2|480|Loss: 1.23:   3%|#  | 480/3000 [00:10<10:00, 1.2it/s]", 480, 3000, 1.23),
        (
            " [2026-01-02 10:00:00] iteration      100/  5000 | elapsed time per iteration "
            "(ms): 1234.5 | lm loss: 7.123E+00 | loss scale: 1.0 | grad norm: 1.23|",
            100,
            5000,
            7.123,
        ),
        (
            "completed step: 12, seconds: 3.456, TFLOP/s/device: 9, total_weights: 65, loss: 8.1",
            12,
            None,
            8.1,
        ),
        (
            "[titan] 2026-01-02 10:00:00,123 - root - INFO - step: 10  loss:  7.1234  grad_norm: 1.23",
            10,
            None,
            7.1234,
        ),
        ("Epoch 3/10 - loss: 0.51 - val_loss: 0.62", 3, 10, 0.51),
        ("iter 100: loss 3.2, time 123.45ms, mfu 35%", 100, None, 3.2),
        ("step 250: train loss 3.1, val loss 3.2", 250, None, 3.1),
        (
            "Training epoch 0, iteration 12/999 | lr: 6e-07 | reduced_train_loss: 11.03",
            12,
            999,
            11.03,
        ),
        ("[rank3]: step=123 loss=4.5", 123, None, 4.5),
        ("I0102 10:11:12.123456 1234 train.py:33] step 12 loss=4.5", 12, None, 4.5),
        ("steps: 10 loss: 1.23 iter time (s): 1.2 samples/sec: 5", 10, None, 1.23),
        ("120/1000 [==>....] - ETA: 3:12 - loss: 0.6931 - accuracy: 0.5", 120, 1000, 0.6931),
        ("120/1000 ━━━━━━━━━━ 3:12 20ms/step - accuracy: 0.5 - loss: 0.69", 120, 1000, 0.69),
        ("epoch 001:    100 / 5000 loss=12.3, nll_loss=11.0, ppl=2000", 100, 5000, 12.3),
    ],
)
def test_reports_of_every_trainer_are_read(
    line: str, step: int | None, total: int | None, loss: float | None
) -> None:
    report = read_step(line)
    assert report is not None
    assert (report.step, report.total, report.loss, report.is_training) == (step, total, loss, True)


@pytest.mark.parametrize(
    ("line", "step_s"),
    [
        ("Progress on:train 120it/1.00kit rate:2.5s/it remaining:06:21 postfix:loss=1.0", 2.5),
        ("Training:  12%|#  | 120/1000 [01:00<10:00,  4.00it/s]", 0.25),
        ("iteration 100/ 500 | elapsed time per iteration (ms): 1500.0 | lm loss: 7.1E+00 |", 1.5),
        ("completed step: 12, seconds: 3.5, loss: 8.1", 3.5),
    ],
)
def test_pace_is_seconds_per_step(line: str, step_s: float) -> None:
    report = read_step(line)
    assert report is not None
    assert report.step_s == pytest.approx(step_s)


@pytest.mark.parametrize(
    "line",
    [
        "{'loss': nan, 'grad_norm': 1.0, 'epoch': 0.5}",
        "{'loss': 0.0, 'grad_norm': nan, 'epoch': 0.5}",
        "step: 310  loss: inf",
        "Progress on:train 120it/1.00kit rate:2it/s loss=nan",
        "Progress on:train 120it/1.00kit rate:2it/s postfix:loss=nan",
    ],
)
def test_a_report_that_is_not_finite_says_so(line: str) -> None:
    report = read_step(line)
    assert report is not None
    assert any(value is not None and not math.isfinite(value) for value in (report.loss, report.grad_norm))


@pytest.mark.parametrize(
    "line",
    [
        'sample: "step 100 loss nan"',
        "the model said step 100: loss was nan and we cried",
        '{"text": "at step 40 the loss was nan", "id": 7}',
        "{'train_runtime': 812.1, 'train_loss': 1.91}",
        "step 3: open the file",
        "Epoch 3/10",
        "100% of the samples have a label",
        "wandb: Run history: train/loss █▅▃▁",
        "x" * 100_000 + " step: 1 loss: 2.0",
        "",
    ],
)
def test_text_that_looks_like_a_report_stays_text(line: str) -> None:
    assert read_step(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "Multi-thread loading shards:  40% Completed | 25/62 [01:10<02:00, 3.2s/it]",
        "Capturing CUDA graphs:  40%|####      | 14/35 [00:10<00:20,  1.1s/it]",
        "eval:  40%|####      | 14/35 [00:10<00:20,  1.1s/it]",
        "Map:  40%|####      | 1400/3500 [00:10<00:20, 112.3 examples/s]",
    ],
)
def test_other_bars_are_no_training(line: str) -> None:
    report = read_step(line)
    assert report is not None
    assert not report.is_training


def test_of_a_redrawn_bar_the_last_counts() -> None:
    report = read_step("\r  1%|  | 1/100 [00:01<01:00, 1it/s]\r  7%|  | 7/100 [00:07<01:00, 1it/s]")
    assert report is not None
    assert report.step == 7


def test_a_report_is_a_progress_sample() -> None:
    report = read_step("Progress on:train 120it/1.00kit rate:2.0it/s postfix:loss=3.5")
    assert report is not None
    sample = progress_of(report, NOON)
    assert sample is not None
    assert (sample.stage, sample.done, sample.total, sample.loss) == ("train", 120, 1000, 3.5)
    assert sample.items_per_s == pytest.approx(2.0)


def test_a_report_without_a_count_is_no_sample() -> None:
    report = read_step("{'loss': 2.3, 'epoch': 0.1}")
    assert report is not None
    assert progress_of(report, NOON) is None


def test_numbers_that_are_no_numbers_do_no_harm() -> None:
    report = read_step("step: 10  loss: 1.2.3.4,,  grad_norm: --")
    assert report is None or report.loss is None or math.isfinite(report.loss)
