"""Training in the browser: the curve falls, a head turns into a line, and it can be replayed."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
from playwright.sync_api import expect

from explorer.choices.parameters import Learning
from explorer.training import worker
from tests.browser.visitor import Visitor, address_of
from tests.support.servers import Server
from tests.support.waiting import until

# No word of it is known to the model before: words take slots in the order in which they appear.
SENTENCE = "purple cats juggle"
STEPS = 200
QUICK = {
    "weights": "reverse",
    "pairs": 1,
    "src": SENTENCE,
    "longest": 4,
    "steps": STEPS,
    "warmup": 50,
    "seed": 1,
}
LONG = QUICK | {"steps": 20_000}


def wait_until_said(visitor: Visitor, words: str, seconds: float = 60) -> str:
    """Wait for words beside the progress bar; returns the whole text there."""
    bar = visitor.page.get_by_test_id("stProgress")
    expect(bar).to_contain_text(words, timeout=1000 * seconds)
    return bar.inner_text()


def wait_until_trained(visitor: Visitor) -> None:
    """Wait for the end, and until every page has taken what was learnt."""
    wait_until_said(visitor, "Trained.", seconds=300)  # others may be at work on this machine
    expect(visitor.field("weights")).to_have_value("trained here")
    visitor.fold_away()
    visitor.settle()


def train_until(visitor: Visitor, learnt: Callable[[], bool]) -> None:
    """Train, and train on until it is learnt: how soon that is depends on the processor."""
    wait_until_trained(visitor)
    for steps in range(2 * STEPS, 11 * STEPS, STEPS):
        if learnt():
            return
        visitor.press("Options")
        visitor.field("steps").fill(str(steps))
        visitor.field("steps").press("Enter")
        usual = steps == Learning.steps.default
        visitor.wait_for_parameter("steps", None if usual else str(steps))
        visitor.press("Options")
        visitor.press("Train on")
        wait_until_said(visitor, f"Step {steps:,} of {steps:,}. Trained.")
        visitor.settle()
    pytest.fail(f"after {steps} steps it has not been learnt")


def step_said(visitor: Visitor) -> int:
    text = visitor.page.get_by_test_id("stProgress").inner_text()
    return int(text.split()[1].replace(",", ""))


def losses(visitor: Visitor) -> np.ndarray:
    (loss,) = visitor.picture("loss")["points"]
    return np.array([y for _, y in loss["places"]])


def percent_right(visitor: Visitor) -> float:
    said = visitor.page.get_by_test_id("stProgress").inner_text()
    return float(re.search(r"([\d.]+)% of held-out sentences right", said)[1])


def workers(server: Server) -> list[psutil.Process]:
    """Training processes that run."""
    found = []
    for one in server.process.children():
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile, or is a zombie
            if worker.__name__ in one.cmdline():
                found.append(one)
    return found


def wait_until_idle(server: Server, *visitors: Visitor) -> None:
    """Nobody trains any more, long before what was begun would have ended by itself."""
    try:
        until(lambda: not workers(server), "no worker is left")
    except AssertionError as error:
        for visitor in visitors:
            shown = visitor.page.locator(".st-key-choices, .stProgress, .stException")
            error.add_note(f"{visitor.address} shows {shown.all_inner_texts()}; asked for:")
            error.add_note("\n".join(visitor.asked))
        raise


def choose_file(visitor: Visitor, file: Path) -> None:
    """Press the field's button, and choose a file in the window that opens."""
    with visitor.page.expect_file_chooser() as chooser:
        visitor.press("Choose files")
    chooser.value.set_files(file)


def end_training(visitor: Visitor) -> None:
    """Pause, and wait until the training has ended."""
    visitor.press("Pause")
    wait_until_said(visitor, "Paused.")


@pytest.mark.all
def test_reverse_is_learnt(visit: Callable[..., Visitor]) -> None:
    visitor = visit(address_of("training", **QUICK))
    visitor.press("Train")
    words = len(SENTENCE.split())

    def learnt() -> bool:
        """Most held-out sentences and this one are answered right, and one head shows how."""
        trained = np.stack([visitor.numbers("learning_heads", head) for head in range(4)])
        on_line = (trained[:, :words].argmax(axis=2) == np.arange(words)[::-1]).mean(axis=1)
        label = visitor.answer.get_attribute("aria-label") or ""
        right = label.startswith("Model's answer 1 ✓: ")
        return right and percent_right(visitor) > 90 and on_line.max() >= 0.9

    train_until(visitor, learnt)
    curve = losses(visitor)
    assert curve[0] > 3 > 0.5 > curve[-10:].mean()
    visitor.go_to("Decoding")
    visitor.expect_answer(" ".join(SENTENCE.split()[::-1]))


def test_a_training_is_replayed_found_again_and_read_by_every_page(
    visit: Callable[..., Visitor],
) -> None:
    visitor = visit(address_of("training", **QUICK))
    first = visitor.numbers("learning_head")
    visitor.press("Train")
    wait_until_said(visitor, "steps a second")
    early = len(losses(visitor))
    until(lambda: len(losses(visitor)) > early, "the curve goes on")
    wait_until_trained(visitor)
    curve = losses(visitor)
    assert len(curve) > 100
    assert curve[0] - curve[-10:].mean() > 1
    assert not np.allclose(first, visitor.numbers("learning_head"), atol=0.05)

    slider = visitor.page.locator('[class*="st-key-replay"] input[type=range]')
    for key, at in ("Home", "0%"), ("End", "100%"):
        slider.press(key)
        visitor.page.wait_for_function(
            "at => document.querySelector('.st-key-loss .area > [stroke-dasharray]')"
            ".getAttribute('x1') === at",
            arg=at,
        )
        visitor.settle()
        if key == "Home":
            assert np.allclose(visitor.numbers("learning_head"), first, atol=6e-5)
    last = visitor.numbers("learning_head")
    assert not np.allclose(last, first, atol=0.05)

    # To another model and back: it is as it was.
    visitor.press_arrow("enc", "ArrowRight")
    expect(visitor.field("weights")).to_have_value("untrained")
    wait_until_said(visitor, "on this machine")
    visitor.settle()
    visitor.press("Back to “trained here”")
    expect(visitor.field("weights")).to_have_value("trained here")
    wait_until_said(visitor, "Trained.")
    visitor.settle()
    assert np.array_equal(visitor.numbers("learning_head"), last)

    visitor.go_to("Decoding")
    assert visitor.page.get_by_text("trained here on reverse").count() == 1


@pytest.mark.all
def test_pause_and_a_killed_worker_keep_what_was_learnt_and_it_goes_on(
    visit: Callable[..., Visitor], server: Server
) -> None:
    visitor = visit(address_of("training", **LONG))
    visitor.press("Train")
    wait_until_said(visitor, "steps a second")
    until(lambda: len(losses(visitor)) > 20, "the curve goes on")
    (process,) = workers(server)
    process.kill()
    message = wait_until_said(visitor, "ended unexpectedly")
    assert "are kept" in message
    visitor.settle()
    at = len(losses(visitor))
    visitor.press("Train on")
    wait_until_said(visitor, "steps a second")
    until(lambda: len(losses(visitor)) > at, "the curve goes on")
    end_training(visitor)
    wait_until_idle(server, visitor)
    visitor.settle()
    paused_at = step_said(visitor)
    assert paused_at > 0
    visitor.press("Resume")
    message = wait_until_said(visitor, "steps a second")
    assert paused_at <= int(message.split()[1].replace(",", ""))
    end_training(visitor)
    wait_until_idle(server, visitor)
    visitor.settle()
    assert step_said(visitor) >= paused_at
    visitor.press("Reset")
    wait_until_said(visitor, "on this machine")
    visitor.settle()
    assert losses(visitor).size == 0


@pytest.mark.all
def test_others_wait_their_turn_and_who_leaves_trains_no_longer(
    visit: Callable[..., Visitor], server: Server
) -> None:
    """For another page, for another model, or because the browser is closed."""
    first, second = trains = [visit(address_of("training", **LONG)) for _ in range(2)]
    for visitor in trains:
        visitor.press("Train")
        wait_until_said(visitor, "a second" if visitor is first else "")
    at_once = len(workers(server))
    if at_once == 1:  # on two cores; with more, both may train
        wait_until_said(second, "you are next")
    end_training(first)
    wait_until_said(second, "steps a second")
    second.page.locator(".head .places a").filter(has_text="Read").click()
    wait_until_idle(server, *trains)
    first.press("Resume")
    wait_until_said(first, "steps a second")
    assert len(workers(server)) == 1
    first.press_arrow("enc", "ArrowRight")
    first.wait_for_parameter("enc", "3")
    wait_until_idle(server, *trains)
    second.open(address_of("training", **LONG))
    second.press("Train")
    wait_until_said(second, "steps a second")
    assert len(workers(server)) == 1
    second.page.goto("about:blank")
    wait_until_idle(server, *trains)


def test_weights_can_be_taken_away_and_brought_back(
    visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    visitor = visit(address_of("training", src="acht und zwei", weights="numbers", pairs=1))
    page = visitor.page
    page.get_by_text("Take these weights with you").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download these weights").click()
    file = tmp_path / "weights.safetensors"
    download.value.save_as(file)

    other = visit("/training?weights=untrained")
    other.page.get_by_text("Take these weights with you").click()
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(file.read_bytes()[:5000])
    choose_file(other, damaged)
    expect(other.page.get_by_test_id("stAlert")).to_contain_text("damaged")
    choose_file(other, file)
    expect(other.page.get_by_text("The pictures show the trained model.")).to_be_visible()
    expect(other.field("weights")).to_have_value("trained here")
    other.settle()
    other.go_to("Step by step")
    assert other.page.get_by_text("trained here on numbers").count() == 1
