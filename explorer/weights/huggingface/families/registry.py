"""The families of pretrained models, by their `model_type`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from explorer.weights.huggingface.families import bart, bert, gpt2, t5, torch_transformer
from explorer.weights.huggingface.families.family import Family

# GPT-2's older files hold its causal masks.
_MASKS: Final = tuple(f"h.{n}.attn.{name}" for n in range(512) for name in ("bias", "masked_bias"))
_BART_UNUSED: Final = (
    "lm_head.weight",
    "model.encoder.embed_tokens.weight",
    "model.decoder.embed_tokens.weight",
)
_BERT_UNUSED: Final = ("embeddings.position_ids", "pooler.", "cls.", "lm_head.")
_T5: Final = Family(
    "T5",
    t5.t5_config,
    t5.t5_names,
    own_logits="lm_head.weight",
    unused=(
        "encoder.embed_tokens.weight",
        "decoder.embed_tokens.weight",
        "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
    ),
)
FAMILIES: Final[Mapping[str, Family]] = {
    "marian": Family(
        "Marian",
        bart.marian_config,
        bart.bart_names,
        unused=(
            *_BART_UNUSED,
            "model.shared.weight",
            "model.encoder.embed_positions.weight",
            "model.decoder.embed_positions.weight",
        ),
    ),
    "bart": Family("BART", bart.bart_learned_config, bart.bart_names, unused=_BART_UNUSED),
    "mbart": Family("mBART", bart.mbart_config, bart.bart_names, unused=_BART_UNUSED),
    "t5": _T5,
    "mt5": replace(_T5, title="mT5", config=t5.mt5_config),
    "bert": Family("BERT", bert.bert_config, bert.bert_names, prefix="bert.", unused=_BERT_UNUSED),
    "roberta": Family(
        "RoBERTa", bert.roberta_config, bert.roberta_names, prefix="roberta.", unused=_BERT_UNUSED
    ),
    "distilbert": Family(
        "DistilBERT",
        bert.distilbert_config,
        bert.distilbert_names,
        prefix="distilbert.",
        unused=("vocab_",),
    ),
    "gpt2": Family(
        "GPT-2",
        gpt2.gpt2_config,
        gpt2.gpt2_names,
        prefix="transformer.",
        unused=("lm_head.weight", *_MASKS),
    ),
    "torch.nn.Transformer": Family(
        "torch.nn.Transformer",
        torch_transformer.torch_config,
        torch_transformer.torch_names,
        prefix="transformer.",
        unused=(torch_transformer.TABLE,),
        words=torch_transformer.WORDS,
        positions=torch_transformer.TABLE,
    ),
}
# Other names for a family: the same tensors, the same settings and the same defaults.
ALIASES: Final[Mapping[str, str]] = {"camembert": "roberta", "xlm-roberta": "roberta"}
