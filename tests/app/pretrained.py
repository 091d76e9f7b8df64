"""One small model of each kind, as `transformers` saves them."""

import warnings
from pathlib import Path
from typing import Any

import torch

from explorer.weights.huggingface.text.tokenizer import convert_old_files

WORDS = ["the", "cat", "sat", "on", "mat", "a", "dog"]
BOTH = {"vocab_size": 40, "d_model": 16}
CONFIGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "letters": ("BartConfig", "BartForConditionalGeneration", {
        **BOTH, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24,
        "max_position_embeddings": 30, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "decoder_start_token_id": 1, "forced_eos_token_id": None,
        "grapheme_chars": "____ abcdehmnopst", "phoneme_chars": "____ABCDEHMNOPST",
    }),
    "t5": ("T5Config", "T5ForConditionalGeneration", {
        **BOTH, "d_kv": 6, "num_heads": 3, "num_layers": 2, "d_ff": 24,
        "feed_forward_proj": "gated-gelu", "decoder_start_token_id": 0,
    }),
    "marian": ("MarianConfig", "MarianMTModel", {
        **BOTH, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24,
        "max_position_embeddings": 64, "pad_token_id": 39, "decoder_start_token_id": 39,
        "eos_token_id": 1, "activation_function": "swish", "scale_embedding": True,
        "forced_eos_token_id": None,
    }),
    "bert": ("BertConfig", "BertForMaskedLM", {
        "vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 8, "num_attention_heads": 2,
        "intermediate_size": 24, "max_position_embeddings": 30,
    }),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", {
        "vocab_size": 40, "n_embd": 12, "n_head": 3, "n_layer": 7, "n_positions": 40,
        "bos_token_id": 1, "eos_token_id": 1,
    }),
    "ids": ("BertConfig", "BertModel", {
        "vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 24, "max_position_embeddings": 30,
    }),
}  # fmt: skip


def write_tokenizer(name: str, folder: Path) -> None:
    """Words as pieces, framed as the family does it."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    specials, ending = {
        "t5": (["<pad>", "</s>", "<unk>"], "$A </s>"),
        "marian": (["<unk>", "</s>"], "$A </s>"),
        "bert": (["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], "[CLS] $A [SEP]"),
        "gpt2": (["<unk>", "<|endoftext|>"], "$A"),
    }[name]
    vocab = {piece: number for number, piece in enumerate([*specials, *WORDS])}
    if name == "marian":
        vocab["<pad>"] = 39
    unknown = next(piece for piece in specials if "unk" in piece.lower())
    made = Tokenizer(models.WordLevel(vocab, unk_token=unknown))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens([piece for piece in vocab if piece not in WORDS])
    frame = [(piece, vocab[piece]) for piece in ending.split() if piece in vocab]
    made.post_processor = processors.TemplateProcessing(ending, None, frame)
    made.save(str(folder / "tokenizer.json"))


def write_models(folder: Path) -> None:
    """Write all of them into a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import transformers
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for name, (config, model, settings) in CONFIGS.items():
        torch.manual_seed(7)
        made = getattr(transformers, model)(getattr(transformers, config)(**settings))
        made.save_pretrained(folder / name)
        if name == "letters":
            convert_old_files(folder / name, settings | {"model_type": "bart"})
        elif name != "ids":
            write_tokenizer(name, folder / name)
