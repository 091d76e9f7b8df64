"""Why did it write this word? The time of each question, on the translator and beside captum.

All times are CPU times of the process, so other load matters little.
"""

import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import psutil
import torch
from torch import Tensor

from benchmarks.memory import watch
from benchmarks.report import Row, Section
from explorer.analysis.causes.attribution import Method, attribute
from explorer.analysis.causes.gradients import x_slopes
from explorer.analysis.causes.patching import restored_by_heads, restored_by_positions
from explorer.analysis.causes.question import Question, Sentence
from explorer.exploration import explore
from explorer.notebook.exploration import Exploration
from explorer.notebook.heads_needed import need
from explorer.runtime.memory import keep_memory_at_hand
from explorer.text import Batch
from explorer.training.needed import HUNDRED
from explorer.weights.huggingface.model import read_model
from explorer.weights.loaded import load

SENTENCE: Final = "I saw a big dog in the old garden yesterday."
OTHER: Final = "I saw a big cat in the old garden yesterday."
POSITION: Final = 5  # where “Hund” is written, or “Katze”
REPEATS: Final = 7
STEPS: Final = 24


def measure() -> Section:
    """The five questions, then three methods beside captum."""
    torch.set_num_threads(1)
    keep_memory_at_hand()
    model = load("translator")
    seen, other = (explore(text, model=model) for text in (SENTENCE, OTHER))
    own = other._asked(POSITION, None, None)
    question = seen._asked(POSITION, None, own.token)
    with watch(psutil.Process(os.getpid())) as memory:
        _methods(question)
        _patched(question, other)
        seen.parts_of_logit(POSITION)
    peak = max(size.resident for size in memory) - memory[0].resident
    words = f"{seen.batch.src.shape[1]} + {seen.batch.tgt_in.shape[1]} tokens"
    return Section(
        title="Causes: why did it write this word?",
        rows=[
            _row("All six methods of which words mattered", words, 0.5, lambda: _methods(question)),
            _row("Occlusion alone", words, None, lambda: attribute(question)),
            _row("The parts of a logit", words, 0.1, lambda: seen.parts_of_logit(POSITION)),
            _row(
                "Patching: all 80 heads, and all positions of all layers", words, 2.0,
                lambda: _patched(question, other),
            ),
            _needed(model),
            _row(
                "The parts of a score", words, 0.2,
                lambda: seen.parts_of_score("cross", 2, 1, POSITION, 4),
            ),
            *_beside_captum(),
            Row(
                what="Memory at the peak, beyond a page that shows the trace",
                how=f"the first three questions, {words}",
                aim="≤ 60 MB",
                measured=f"**{peak:.0f} MB**",
            ),
        ],
        notes=[
            f"Median of {REPEATS} after one to warm up; time of one core, with one thread. "
            "Integrated gradients take as many steps as completeness within 1 % needs; beside "
            f"captum, both take {STEPS}, of Gauss and Legendre. Captum stands around "
            "`transformers` with the same random weights of the translator's size (Marian), and "
            "both give the same numbers."
        ],
    )  # fmt: skip


def _methods(question: Question) -> None:
    for method in get_args(Method):
        attribute(question, method)


def _patched(question: Question, other: Exploration) -> None:
    read = other._read()
    list(restored_by_heads(question, read))
    list(restored_by_positions(question, read))


def _needed(model: Any) -> Row:
    lines = HUNDRED.read_text(encoding="utf-8").splitlines()
    sentences = [line.split("\t")[1] for line in lines]
    start = time.process_time()
    found = need(model, sentences)
    taken = time.process_time() - start
    return Row(
        what="Which heads are needed: 80 heads, each switched off",
        how=f"{found.sentences} sentences, {found.words} tokens; the answers are written first",
        aim="≤ 30 s",
        measured=f"**{taken:.0f} s**",
    )


def _row(what: str, how: str, aim: float | None, call: Callable[[], object]) -> Row:
    times = _times(call)
    return Row(
        what=what,
        how=how,
        aim="–" if aim is None else f"≤ {aim:g} s",
        measured=f"**{statistics.median(times):.3f} s** ({min(times):.3f}–{max(times):.3f})",
    )


def _times(*calls: Callable[[], object]) -> list[float]:
    """The CPU seconds of each repeat; for two calls, the ratio of the first to the second."""
    found = []
    for _ in range(1 + REPEATS):
        times = []
        for call in calls:
            start = time.process_time()
            call()
            times.append(time.process_time() - start)
        found.append(times[0] / times[1] if len(calls) == 2 else times[0])
    return found[1:]


def _beside_captum() -> list[Row]:
    """Ours and captum's on one question."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import captum.attr
        import transformers
    question, theirs = _marian(transformers)
    sides = (
        question.sentence.trace.src_embedding.scaled,
        question.sentence.trace.tgt_embedding.embedded,
    )
    embedded = tuple(
        side[:, : question.read if at else None].clone() for at, side in enumerate(sides)
    )
    masks = tuple(torch.ones(side.shape[:2]) for side in embedded)

    def outcome(**given: Tensor) -> Tensor:
        logits = theirs(**given).logits[:, POSITION]
        return logits.log_softmax(dim=-1)[:, question.token]

    def of_masks(src: Tensor, tgt: Tensor) -> Tensor:
        seen, rows = question.sentence, len(src)
        return outcome(
            input_ids=seen.src.expand(rows, -1), decoder_input_ids=question.tgt.expand(rows, -1),
            attention_mask=src.long(), decoder_attention_mask=tgt.long(),
        )  # fmt: skip

    def of_embeddings(src: Tensor, tgt: Tensor) -> Tensor:
        return outcome(inputs_embeds=src, decoder_inputs_embeds=tgt)

    def occluded() -> np.ndarray:
        tool = captum.attr.Occlusion(of_masks)
        with torch.no_grad():
            found = tool.attribute(
                masks, sliding_window_shapes=((1,), (1,)), baselines=(0.0, 0.0),
                perturbations_per_eval=16,
            )  # fmt: skip
        flat = torch.cat([side[0] for side in found]).numpy()
        flat[-1] = 0.0  # ours keeps seeing itself
        return flat

    def graded(tool: Any, **more: Any) -> np.ndarray:
        found = tool(of_embeddings).attribute(
            tuple(side.clone().requires_grad_() for side in embedded), **more
        )
        return torch.cat([side[0].sum(dim=-1) for side in found]).detach().numpy()

    places, shares = np.polynomial.legendre.leggauss(STEPS)

    def integrated() -> np.ndarray:
        _, products = x_slopes(question, (places + 1) / 2)
        return (torch.from_numpy(shares / 2)[:, None] * products).sum(dim=0).numpy()

    steps = {"n_steps": STEPS, "method": "gausslegendre", "internal_batch_size": 16}
    tools = captum.attr
    pairs: dict[str, tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]] = {
        "occlusion": (lambda: attribute(question).numbers, occluded),
        "input × gradient": (
            lambda: attribute(question, "input_x_gradient").numbers,
            lambda: graded(tools.InputXGradient),
        ),
        "integrated gradients": (integrated, lambda: graded(tools.IntegratedGradients, **steps)),
    }
    return [_pair(name, *both) for name, both in pairs.items()]


def _pair(name: str, ours: Callable[[], np.ndarray], theirs: Callable[[], np.ndarray]) -> Row:
    mine, its = ours(), theirs()
    difference = float(np.abs(mine[: len(its)] - its).max())
    if difference > 1e-3:
        raise RuntimeError(f"both must agree on {name}, they differ by {difference:.1e}")
    low, middle, high = statistics.quantiles(_times(ours, theirs), n=4)
    return Row(
        what=f"Beside captum: {name}",
        how="Marian of the translator's size, 11 + 6 tokens",
        aim="≤ 1",
        measured=f"**{middle:.2f}** (quartiles {low:.2f}–{high:.2f})",
    )


def _marian(transformers: Any) -> tuple[Question, Any]:
    """A random model of the translator's size, theirs and ours, and a question."""
    config = transformers.MarianConfig(
        vocab_size=8000, d_model=256, encoder_layers=4, decoder_layers=3, encoder_ffn_dim=1024,
        decoder_ffn_dim=1024, encoder_attention_heads=8, decoder_attention_heads=8,
        pad_token_id=7999, decoder_start_token_id=7999, eos_token_id=0, forced_eos_token_id=None,
        activation_function="relu", scale_embedding=True,
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = transformers.MarianMTModel(config).eval().requires_grad_(False)
    with tempfile.TemporaryDirectory() as folder:
        theirs.save_pretrained(folder)
        model = read_model(Path(folder))[0]
    ids = torch.randint(1, 7000, (17,), generator=torch.Generator().manual_seed(1)).tolist()
    texts = [" ".join(map(str, ids[:11])), " ".join(map(str, [7999, *ids[11:16]]))]
    batch = Batch.from_ids([texts[0]], [texts[1]], pad_id=7999, vocab_size=8000)
    with torch.inference_mode():
        trace = model(batch.src, batch.tgt_in)
    return Question.of(Sentence(model=model, batch=batch, row=0, trace=trace), POSITION), theirs
