"""Whatever `transformers` saves of a family, in whichever way, is read with the same numbers."""

import json
import re
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file, save_model
from torch import Tensor

from explorer.transformer import Transformer
from explorer.weights.huggingface.add import add
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.model import read_model
from tests.weights.huggingface.families import test_registry as known

pytestmark = pytest.mark.slow

TOLERANCE = 1e-4
# The classes of each family, and what stands in their files beside the stacks.
BOTH = {"Model": "", "ForSequenceClassification": "classification_head"}
CLASSIFIERS = {
    "Model": "", "ForMaskedLM": "", "ForSequenceClassification": "classifier",
    "ForTokenClassification": "classifier", "ForQuestionAnswering": "qa_outputs",
    "ForMultipleChoice": "classifier",
}  # fmt: skip
OF_BART = BOTH | {"ForConditionalGeneration": "", "ForQuestionAnswering": "qa_outputs"}
OF_T5 = OF_BART | {"EncoderModel": "", "ForTokenClassification": "classifier"}
CLASSES: dict[str, dict[str, str]] = {
    "Marian": {"Model": "", "MTModel": ""},
    "Marian, two vocabularies": {"Model": "", "MTModel": ""},
    "BART": OF_BART,
    "mBART": OF_BART,
    "T5": OF_T5,
    "Flan-T5": {"ForConditionalGeneration": ""},
    "mT5": OF_T5,
    "BERT": CLASSIFIERS | {
        "ForPreTraining": "cls.seq_relationship", "ForNextSentencePrediction": "cls",
    },
    "RoBERTa": CLASSIFIERS,
    "CamemBERT": CLASSIFIERS,
    "XLM-RoBERTa": CLASSIFIERS,
    "DistilBERT": CLASSIFIERS | {
        "ForSequenceClassification": "classifier, pre_classifier",
        "ForMultipleChoice": "classifier, pre_classifier",
    },
    "GPT-2": {
        "Model": "", "LMHeadModel": "", "DoubleHeadsModel": "multiple_choice_head",
        "ForSequenceClassification": "score", "ForTokenClassification": "classifier",
        "ForQuestionAnswering": "qa_outputs",
    },
}  # fmt: skip
transformers = known.transformers  # the fixture


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPLORER_MODELS", str(tmp_path / "models"))


def of_class(transformers: Any, family: str, ending: str, **more: Any) -> Any:
    """A model of `transformers` with weights of its own."""
    config_name, _, settings = known.FAMILIES[family]
    config = getattr(transformers, config_name)(**settings(known.BARTS[0]) | more)
    config._attn_implementation = "eager"
    torch.manual_seed(len(family + ending))
    made = getattr(transformers, config_name.replace("Config", ending))(config).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            if parameter.requires_grad:  # Marian's waves do not
                parameter.add_(torch.randn_like(parameter) * 0.2)
    if family == "Flan-T5":
        made.lm_head.weight = torch.nn.Parameter(torch.randn_like(made.lm_head.weight))
    return made


def saved(made: Any, way: str, folder: Path) -> Path:
    """The folder of a model that was saved in one of the ways that there are."""
    if way == "save_pretrained":
        made.save_pretrained(folder)
        return folder
    made.config.save_pretrained(folder)
    if way == "save_model":
        save_model(made, str(folder / "model.safetensors"))
        return folder
    held = {f"model._orig_mod.{name}": tensor for name, tensor in made.state_dict().items()}
    more = {"optimizer_states": [{"state": {0: {"step": torch.ones(1)}}}], "epoch": 3}
    torch.save({"state_dict": held, **more}, folder / "pytorch_model.bin")
    return add(str(folder))


def ids(config: Any, length: int = 7) -> tuple[Tensor, Tensor]:
    """A source and a target without PAD."""
    drawn = torch.randint(3, 57, (2, 1, length), generator=torch.Generator().manual_seed(5))
    if (start := getattr(config, "decoder_start_token_id", None)) is not None:
        drawn[1, :, 0] = start
    return drawn[0], drawn[1]


def assert_same(theirs: Any, ours: Transformer, length: int = 7) -> None:
    """The output and the attentions of each stack, and the logits of a class that has any."""
    config, (src, tgt) = ours.config, ids(theirs.config, length)
    both = config.has_encoder and config.has_decoder
    trace = ours(src if config.has_encoder else None, tgt if config.has_decoder else None)
    given = {"input_ids": src if config.has_encoder else tgt}
    given |= {"decoder_input_ids": tgt} if both else {}
    stacks = getattr(theirs, theirs.base_model_prefix, theirs)
    out = stacks(**given, output_attentions=True, output_hidden_states=True)
    outs = {"encoder": trace.memory, "decoder": trace.decoder_out}
    for stack in outs if both else ("encoder" if config.has_encoder else "decoder",):
        name = f"{stack}_" * both
        torch.testing.assert_close(
            outs[stack], out[f"{name}hidden_states"][-1], rtol=0, atol=TOLERANCE
        )
        for n, weights in enumerate(out[f"{name}attentions"]):
            found = trace.attention(stack, n).weights
            torch.testing.assert_close(found, weights, rtol=0, atol=TOLERANCE)
    if theirs.get_output_embeddings() is not None:
        written = theirs(**given)
        logits = written["prediction_logits" if "prediction_logits" in written else "logits"]
        torch.testing.assert_close(trace.logits, logits, rtol=0, atol=TOLERANCE)


def test_the_classes_of_every_family_are_compared() -> None:
    assert CLASSES.keys() == known.FAMILIES.keys() - {"BERT, masked words"}


WAYS = ("save_pretrained", "save_model", "Lightning")
# The last class of each family, in one way after the other, is run with every change.
OFTEN = {(family, [*CLASSES[family]][-1], WAYS[n % 3]) for n, family in enumerate(CLASSES)}


@pytest.mark.parametrize(
    ("family", "ending", "way"),
    [
        pytest.param(*row, marks=() if row in OFTEN else pytest.mark.all)
        for family, classes in CLASSES.items()
        for row in product([family], classes, WAYS)
    ],
)
@torch.inference_mode()
def test_every_class(transformers: Any, family: str, ending: str, way: str, tmp_path: Path) -> None:
    theirs = of_class(transformers, family, ending)
    ours, described = read_model(saved(theirs, way, tmp_path / "saved"))
    assert_same(theirs, ours)
    assert described.left_out == CLASSES[family][ending]
    # A tied matrix is one, however many names the files have for it.
    assert ours.config.n_weights == sum(weights.numel() for weights in ours.parameters())
    tied = {"Flan-T5": "embeddings", "Marian, two vocabularies": "logits"}
    usual = (
        ("all" if ours.config.has_encoder else "logits") if ours.config.has_decoder else "logits"
    )
    assert ours.config.tying == (tied.get(family, usual) if ours.config.n_logits else "nothing")


OF_BOTH = ("model.shared", "lm_head", "model.decoder.embed_tokens", "model.encoder.embed_tokens")
TIED = {
    family: (known.FAMILIES[family][1], names)
    for family, names in {
        "Marian": OF_BOTH,
        "Marian, two vocabularies": ("model.decoder.embed_tokens", "lm_head"),
        "BART": OF_BOTH,
        "mBART": OF_BOTH,
        "T5": ("shared", "encoder.embed_tokens", "decoder.embed_tokens", "lm_head"),
        "mT5": ("shared", "encoder.embed_tokens", "decoder.embed_tokens", "lm_head"),
        "BERT, masked words": ("bert.embeddings.word_embeddings", "cls.predictions.decoder"),
        "RoBERTa": ("roberta.embeddings.word_embeddings", "lm_head.decoder"),
        "DistilBERT": ("distilbert.embeddings.word_embeddings", "vocab_projector"),
        "GPT-2": ("transformer.wte", "lm_head"),
    }.items()
}


@pytest.mark.parametrize(
    ("family", "held"),
    [
        # The hardest to tell are those with all names, each with other numbers.
        pytest.param(family, held, marks=() if held == names else pytest.mark.all)
        for family, (_, names) in TIED.items()
        for count in range(1, len(names) + 1)
        for held in combinations(names, count)
    ],
)
@torch.inference_mode()
def test_tied_matrices_under_any_of_their_names(
    transformers: Any, family: str, held: tuple[str, ...], tmp_path: Path
) -> None:
    """Each that is there holds other numbers, so that one can see which is taken."""
    config_name, class_name, _ = known.FAMILIES[family]
    made = of_class(
        transformers, family, class_name.removeprefix(config_name.removesuffix("Config"))
    )
    made.save_pretrained(tmp_path)
    weights = {
        name: tensor.clone()
        for name, tensor in made.state_dict().items()
        if not name.endswith("embed_positions.weight") or family in ("BART", "mBART")
    }
    for number, name in enumerate(TIED[family][1]):
        matrix = weights.pop(f"{name}.weight")
        if name in held:
            weights[f"{name}.weight"] = matrix + torch.randn(matrix.shape) * number
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    theirs = type(made).from_pretrained(tmp_path, attn_implementation="eager").eval()
    assert_same(theirs, read_model(tmp_path)[0])


def test_matrices_that_are_not_tied(transformers: Any, tmp_path: Path) -> None:
    """By config.json, each is what the files say."""
    for family, ending in (
        ("Marian", "MTModel"), ("BART", "ForConditionalGeneration"), ("GPT-2", "LMHeadModel"),
        ("BERT", "ForMaskedLM"), ("RoBERTa", "ForMaskedLM"), ("DistilBERT", "ForMaskedLM"),
    ):  # fmt: skip
        made = of_class(transformers, family, ending, tie_word_embeddings=False)
        with torch.inference_mode():
            assert_same(made, read_model(saved(made, "save_pretrained", tmp_path / family))[0])


@pytest.mark.parametrize(
    ("ending", "sides"),
    [("Model", ("encoder",)), ("MTModel", ("decoder",)), ("MTModel", ("encoder", "decoder"))],
)
@torch.inference_mode()
def test_positions_that_marian_s_files_hold(
    transformers: Any, ending: str, sides: tuple[str, ...], tmp_path: Path
) -> None:
    """`transformers` computes with them, from the first row to the last."""
    made = of_class(transformers, "Marian", ending)
    folder = saved(made, "save_model", tmp_path / "usual")  # which writes the waves, too
    assert read_model(folder)[0].config.positions == "halves"
    stacks = getattr(made, "model", made)
    for side in sides:
        getattr(stacks, side).embed_positions.weight[35:] += 0.5
    other = saved(made, "save_model", tmp_path / "other")
    assert read_model(other)[0].config.positions == "learned"
    theirs = type(made).from_pretrained(other, attn_implementation="eager").eval()
    assert_same(theirs, read_model(other)[0], length=40)


SEQUENCE, MASKED, GENERATION = (
    "ForSequenceClassification",
    "ForMaskedLM",
    "ForConditionalGeneration",
)


@pytest.mark.parametrize(
    ("family", "ending", "name"),
    [
        ("BERT", SEQUENCE, "bert.encoder.layer.0.adapter.weight"),
        ("BERT", SEQUENCE, "bert.embeddings.more.weight"),
        ("BERT", MASKED, "prompt.weight"),
        ("BERT", SEQUENCE, "prompt_encoder.default.embedding.weight"),
        ("BERT", "ForPreTraining", "more.weight"),
        ("BERT", MASKED, "cls.predictions.transform.more.weight"),
        ("BART", SEQUENCE, "model.decoder.layers.0.adapter.weight"),
        ("BART", GENERATION, "lm_head.bias"),
        ("BART", GENERATION, "prompt"),
        ("T5", SEQUENCE, "transformer.decoder.block.1.layer.0.relative_attention.weight"),
        ("T5", GENERATION, "decoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight"),
        ("DistilBERT", SEQUENCE, "distilbert.transformer.layer.0.adapter.weight"),
        ("GPT-2", SEQUENCE, "transformer.h.0.adapter.weight"),
        ("GPT-2", "Model", "lm_head.bias"),
    ],
)
def test_what_may_change_the_numbers_is_no_head(
    transformers: Any, family: str, ending: str, name: str, tmp_path: Path
) -> None:
    made = of_class(transformers, family, ending)
    made.save_pretrained(tmp_path)
    assert re.search(
        f"hold {name}, which .* does not have and whose", refused_with(tmp_path, [name])
    )


def refused_with(folder: Path, names: Iterable[str]) -> str:
    """The message where the files hold more, too."""
    more = {name: torch.ones(4, 16) for name in names}
    save_file(load_file(folder / "model.safetensors") | more, folder / "model.safetensors")
    with pytest.raises(PretrainedError) as error:
        read_model(folder)
    return str(error.value)


@pytest.mark.parametrize(
    ("family", "ending", "name", "head"),
    [
        ("GPT-2", "LMHeadModel", "v_head.summary.weight", "v_head"),
        ("GPT-2", "LMHeadModel", "score.weight", "score"),
        ("BART", GENERATION, "classification_head.dense.weight", "classification_head"),
        ("RoBERTa", MASKED, "classifier.dense.weight", "classifier"),
        ("BERT", SEQUENCE, "bert.classifier.weight", "classifier"),
        ("BERT", SEQUENCE, "encoder.weight", "classifier, encoder.weight"),
        ("BERT", SEQUENCE, "pooler.more.weight", "classifier, pooler"),
    ],
)
@torch.inference_mode()
def test_heads_beside_every_class(
    transformers: Any, family: str, ending: str, name: str, head: str, tmp_path: Path
) -> None:
    """`transformers` leaves them out, too."""
    made = of_class(transformers, family, ending)
    made.save_pretrained(tmp_path)
    held = load_file(tmp_path / "model.safetensors") | {name: torch.ones(4, 16)}
    save_file(held, tmp_path / "model.safetensors")
    ours, described = read_model(tmp_path)
    assert_same(made, ours)
    assert described.left_out == head


def test_a_decoder_that_writes_nothing(transformers: Any, tmp_path: Path) -> None:
    made = of_class(transformers, "BART", "Model", tie_word_embeddings=False)
    made.save_pretrained(tmp_path)
    assert "tensors that BART needs, lm_head.weight for example" in refused_with(tmp_path, [])


def test_files_that_hold_more_than_one_model(transformers: Any, tmp_path: Path) -> None:
    made = of_class(transformers, "BERT", "ForSequenceClassification")
    stacks = made.bert.state_dict()
    both = {f"{top}.{name}": stacks[name].clone() for top in ("net", "ema") for name in stacks}
    for number, (more, message) in enumerate(
        (
            (["bert.encoder.layer.0.lora_A.weight"], "merge_and_unload"),
            (["base_model.model.x"], "merge_and_unload"),
            (["x" * 501], "at most 500 characters"),
        )
    ):
        made.save_pretrained(folder := tmp_path / str(number))
        assert message in refused_with(folder, more)
    save_file(both, folder / "model.safetensors")
    assert "two models, under " in (message := refused_with(folder, []))
    assert {"net.", "ema."} <= set(re.split(r"[ :]", message))


def test_a_class_of_one_s_own(transformers: Any, tmp_path: Path) -> None:
    """With the config.json of the model that it began with."""
    for classes in (["Mine"], ["BertModel"], None):
        made = of_class(transformers, "BERT", SEQUENCE)
        folder = saved(made, "save_model", tmp_path / str(classes))
        settings = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(settings | {"architectures": classes}))
        assert read_model(folder)[1].left_out == "classifier"
