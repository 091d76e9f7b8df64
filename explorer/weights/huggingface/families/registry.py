"""The families of pretrained models, by their `model_type`."""

from collections.abc import Mapping
from typing import Final

from explorer.weights.huggingface.families.bart import BART, MARIAN, MBART
from explorer.weights.huggingface.families.bert import BERT, DISTILBERT, ROBERTA
from explorer.weights.huggingface.families.family import Family
from explorer.weights.huggingface.families.gpt2 import GPT2
from explorer.weights.huggingface.families.t5 import MT5, T5
from explorer.weights.huggingface.families.torch_transformer import TORCH

FAMILIES: Final[Mapping[str, Family]] = {
    "marian": MARIAN,
    "bart": BART,
    "mbart": MBART,
    "t5": T5,
    "mt5": MT5,
    "bert": BERT,
    "roberta": ROBERTA,
    "distilbert": DISTILBERT,
    "gpt2": GPT2,
    "torch.nn.Transformer": TORCH,
}
# Other names for a family: the same tensors, the same settings and the same defaults.
ALIASES: Final[Mapping[str, str]] = {"camembert": "roberta", "xlm-roberta": "roberta"}
