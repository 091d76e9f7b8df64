"""The families of pretrained models, by their `model_type`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from explorer.weights.huggingface.families import bart, bert, gpt2, t5, torch_transformer
from explorer.weights.huggingface.families.family import Family

# Names of one matrix.
_SHARED: Final = "shared.weight"
_BY_ENCODER, _BY_DECODER = "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"
_LOGITS: Final = "lm_head.weight"
_BART: Final = Family(
    "BART",
    bart.bart_learned_config,
    bart.bart_names,
    tied={"all": ((_SHARED, _LOGITS, _BY_DECODER, _BY_ENCODER),)},
    unused=r"shared\.weight|(en|de)coder\.version",
)
_T5: Final = Family(
    "T5",
    t5.t5_config,
    t5.t5_names,
    tied={"all": ((_SHARED, _BY_ENCODER, _BY_DECODER, _LOGITS),)},
    unused=r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",
)
_BERT: Final = Family(
    "BERT",
    bert.bert_config,
    bert.bert_names,
    tied=bert.tied("cls.predictions"),
    unused=r"embeddings\.position_ids|pooler\.dense\.(weight|bias)",
)
FAMILIES: Final[Mapping[str, Family]] = {
    "marian": replace(
        _BART,
        title="Marian",
        config=bart.marian_config,
        tied={**_BART.tied, "logits": ((_BY_DECODER, _LOGITS),)},  # two vocabularies
        positions=r"(en|de)coder\.embed_positions\.weight",
    ),
    "bart": _BART,
    "mbart": replace(_BART, title="mBART", config=bart.mbart_config),
    "t5": _T5,
    "mt5": replace(_T5, title="mT5", config=t5.mt5_config),
    "bert": _BERT,
    "roberta": replace(
        _BERT,
        title="RoBERTa",
        config=bert.roberta_config,
        names=bert.roberta_names,
        tied=bert.tied("lm_head"),
    ),
    "distilbert": Family(
        "DistilBERT",
        bert.distilbert_config,
        bert.distilbert_names,
        tied={"logits": ((f"{bert.WORDS}.weight", "vocab_projector.weight"),)},
    ),
    "gpt2": Family(
        "GPT-2",
        gpt2.gpt2_config,
        gpt2.gpt2_names,
        tied={"logits": (("wte.weight", _LOGITS),)},
        unused=r"h\.\d+\.attn\.(masked_)?bias",  # causal masks, in older files
    ),
    "torch.nn.Transformer": Family(
        "torch.nn.Transformer",
        torch_transformer.torch_config,
        torch_transformer.torch_names,
        words=torch_transformer.WORDS,
        positions=torch_transformer.TABLE,
    ),
}
# Other names for a family: the same tensors, the same settings and the same defaults.
ALIASES: Final[Mapping[str, str]] = {"camembert": "roberta", "xlm-roberta": "roberta"}
