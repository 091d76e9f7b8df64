"""The words of the field, each explained in a sentence or two, and a way to mark them in a text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the field."""

    name: str
    says: str
    section: str = ""  # of the paper
    pages: tuple[str, ...] = ()  # that show it, named as in the registry
    forms: tuple[str, ...] = ()  # as it stands in texts, where not as its name

    @property
    def in_texts(self) -> tuple[str, ...]:
        """How the word is written where it can be marked."""
        return self.forms or (self.name, f"{self.name}s")


# By the anchor of the word on its page.
WORDS: Final[Mapping[str, Word]] = {
    "attention": Word(
        "attention",
        "For each word, attention mixes the values of other words, with one weight for each of "
        "them: the more weight, the more the word “looks at” the other one.",
        "3.2",
        ("attention", "steps"),
        ("attention",),
    ),
    "batch": Word(
        "batch",
        "Several sentences that are computed together, as one table with a row for each sentence. "
        "PAD fills the shorter rows.",
        "5.1",
        ("tokens",),
        ("batch", "batches"),
    ),
    "beam-search": Word(
        "beam search",
        "A way to choose words: the few likeliest beginnings are kept at every step, not only the "
        "best one. Their number is the width of the beam.",
        "6.1",
        ("decoding",),
        ("beam search",),
    ),
    "bleu": Word(
        "BLEU",
        "A measure of translations, from 0 to 100: how many short sequences of words they share "
        "with translations by people.",
        "6.1",
        (),
        ("BLEU",),
    ),
    "bos": Word(
        "BOS",
        "Beginning of sentence: the first token that the decoder reads, before any word is "
        "written. Other texts call it START or SOS.",
        "",
        ("tokens", "decoding"),
        ("BOS", "START"),
    ),
    "causal-mask": Word(
        "causal mask",
        "Hides all later words from each target word: what is still to be written must not be "
        "known. Also called look-ahead or no-peek mask.",
        "3.2.3",
        ("masks",),
    ),
    "context": Word(
        "context",
        "What a head has collected for one word: the sum of all values, each times its weight.",
        "3.2.1",
        ("steps",),
        ("context",),
    ),
    "cross-attention": Word(
        "cross-attention",
        "The attention of target words to source words. The queries come from the decoder, the "
        "keys and values from the encoder's memory.",
        "3.2.3",
        ("attention", "decoding"),
        ("cross-attention",),
    ),
    "d-ff": Word(
        "d_ff",
        "The width of the hidden layer in the feed-forward part: 2048 in the paper, four times "
        "d_model.",
        "3.3",
        ("stack",),
        ("d_ff",),
    ),
    "d-k": Word(
        "d_k",
        "The length of one query or key: d_model divided by the number of heads. Scores are "
        "divided by its square root.",
        "3.2.1",
        ("steps",),
        ("d_k",),
    ),
    "d-model": Word(
        "d_model",
        "How many numbers describe one token inside of the model: 512 in the paper.",
        "3.1",
        ("home", "stack"),
        ("d_model",),
    ),
    "decoder": Word(
        "decoder",
        "The half of the model that writes. It reads the words written so far, looks at the "
        "encoder's memory, and gives a probability to every possible next token.",
        "3.1",
        ("home", "decoding"),
    ),
    "dropout": Word(
        "dropout",
        "While a model learns, some numbers are set to 0 by chance, so that it does not rely on "
        "any single one. When it answers, dropout is off.",
        "5.4",
        ("training", "steps"),
        ("dropout",),
    ),
    "embedding": Word(
        "embedding",
        "The vector of learned numbers that stands for a token. Tokens with the same id have the "
        "same embedding.",
        "3.4",
        ("stack",),
    ),
    "encoder": Word(
        "encoder",
        "The half of the model that reads the source sentence. Its result is the memory.",
        "3.1",
        ("home", "stack"),
    ),
    "eos": Word(
        "EOS",
        "End of sentence: the token that ends a sentence. The decoder stops when it has chosen "
        "EOS.",
        "",
        ("tokens", "decoding"),
        ("EOS",),
    ),
    "feed-forward": Word(
        "feed-forward",
        "Two linear layers with a ReLU between them, applied to each position by itself.",
        "3.3",
        ("stack",),
        ("feed-forward",),
    ),
    "greedy": Word(
        "greedy",
        "A way to choose words: always the likeliest one, without looking further ahead.",
        "",
        ("decoding",),
        ("greedy",),
    ),
    "head": Word(
        "head",
        "One of several attentions that run side by side in a layer. Each has queries, keys and "
        "values of its own, so each can look for something else.",
        "3.2.2",
        ("heads", "attention"),
    ),
    "held-out": Word(
        "held-out sentences",
        "Sentences that were kept apart and never trained on. They show what a model can do with "
        "something new.",
        "",
        ("training",),
        ("held-out sentences",),
    ),
    "id": Word(
        "id",
        "The number of a token in the vocabulary. The model reads only ids. Which number a token "
        "has means nothing.",
        "",
        ("tokens",),
    ),
    "key": Word(
        "key",
        "The vector with which a word can be found by others. A query times a key gives the score "
        "of that word.",
        "3.2.1",
        ("steps",),
    ),
    "label-smoothing": Word(
        "label smoothing",
        "In training, the right word is asked for with a little less than 100 %, and the rest is "
        "spread over all others. The model becomes less sure, and more often right.",
        "5.4",
        ("training",),
        ("label smoothing",),
    ),
    "layer": Word(
        "layer",
        "One round of attention and feed-forward. Encoder and decoder are stacks of layers, six "
        "each in the paper; each goes on with the result of the one before.",
        "3.1",
        ("stack",),
    ),
    "layer-norm": Word(
        "layer norm",
        "Shifts and scales the numbers of each token to mean 0 and deviation 1, and then by "
        "learned amounts. In the paper it follows every residual sum.",
        "3.1",
        ("stack",),
        ("layer norm", "layer norms"),
    ),
    "logits": Word(
        "logits",
        "One number for each token of the vocabulary, before the softmax turns them into "
        "probabilities. The largest one is the likeliest next token.",
        "3.4",
        ("stack", "decoding"),
        ("logits", "logit"),
    ),
    "loss": Word(
        "loss",
        "How wrong the predictions are: minus the logarithm of the probability of the right word, "
        "averaged over all words. Training makes it smaller.",
        "",
        ("training",),
        ("loss",),
    ),
    "mask": Word(
        "mask",
        "Says which keys a query may attend to. A hidden key gets the score −∞, so that its "
        "weight is 0.",
        "3.2.3",
        ("masks",),
    ),
    "memory": Word(
        "memory",
        "What the encoder has made of the source: one vector for each of its tokens. All layers "
        "of the decoder look at it.",
        "3.2.3",
        ("stack", "attention"),
        ("memory",),
    ),
    "pad": Word(
        "PAD",
        "Fills up short sentences, so that all rows of a batch have the same length. It has no "
        "meaning: a mask hides it.",
        "",
        ("tokens", "masks"),
        ("PAD",),
    ),
    "positional-encoding": Word(
        "positional encoding",
        "A vector for each position, added to the embedding. Without it, the order of the words "
        "would make no difference to attention.",
        "3.5",
        ("positions",),
    ),
    "query": Word(
        "query",
        "The vector with which a word asks for others: it is compared with the key of each word.",
        "3.2.1",
        ("steps",),
        ("query", "queries"),
    ),
    "residual": Word(
        "residual connection",
        "The input of each part is added to its output. So a word's vector runs through the whole "
        "model, and every part adds something to it.",
        "3.1",
        ("stack",),
        ("residual connection", "residual connections", "residual stream", "residual"),
    ),
    "sampling": Word(
        "sampling",
        "A way to choose words: by chance, where likelier words are drawn more often.",
        "",
        ("decoding",),
        ("sampling",),
    ),
    "scores": Word(
        "scores",
        "How well a query fits each key: their product, divided by √d_k. The softmax turns scores "
        "into weights.",
        "3.2.1",
        ("steps",),
        ("scores", "score"),
    ),
    "self-attention": Word(
        "self-attention",
        "Attention within one sentence: queries, keys and values all come from its own words.",
        "3.2.3",
        ("attention",),
        ("self-attention",),
    ),
    "softmax": Word(
        "softmax",
        "Turns any numbers into positive shares with sum 1: e to the power of each, divided by "
        "the sum of all. The larger a number, the larger its share.",
        "3.2.1",
        ("steps",),
        ("softmax",),
    ),
    "source": Word(
        "source",
        "The sentence that the encoder reads, in short src. The answer is called the target.",
        "",
        ("tokens",),
        ("source", "source word", "source words"),
    ),
    "subword": Word(
        "subword",
        "A piece of a word. Frequent words are one piece, rare ones several, so that any word can "
        "be written with a few thousand pieces.",
        "5.1",
        ("tokens",),
        ("subword", "subwords", "pieces"),
    ),
    "target": Word(
        "target",
        "The sentence that the decoder reads and writes, in short tgt. At each position it reads "
        "one token and predicts the next.",
        "",
        ("tokens",),
        ("target", "target word", "target words"),
    ),
    "teacher-forcing": Word(
        "teacher forcing",
        "In training, the decoder reads the right words so far, even where it would have written "
        "others. So all positions can be learned at once.",
        "",
        ("training", "tokens"),
        ("teacher forcing",),
    ),
    "temperature": Word(
        "temperature",
        "The logits are divided by it before sampling. Below 1, likely words become likelier; "
        "above 1, unlikely words get more of a chance.",
        "",
        ("decoding",),
        ("temperature",),
    ),
    "token": Word(
        "token",
        "The unit that the model reads: a word, a piece of a word, or a character.",
        "3.4",
        ("tokens",),
    ),
    "top-k": Word(
        "top-k and top-p",
        "Sampling from the likeliest words only: from the k likeliest, or from as many as are "
        "needed for a probability of p together.",
        "",
        ("decoding",),
        ("top-k", "top-p"),
    ),
    "unk": Word(
        "UNK",
        "Stands for any token that is not in the vocabulary.",
        "",
        ("tokens",),
        ("UNK",),
    ),
    "value": Word(
        "value",
        "The vector that a word hands over to those that look at it. A head's result is the sum "
        "of all values, each times its weight.",
        "3.2.1",
        ("steps",),
    ),
    "vocabulary": Word(
        "vocabulary",
        "The list of all tokens that a model knows, each with its id.",
        "5.1",
        ("tokens",),
        ("vocabulary", "vocabularies"),
    ),
    "weights": Word(
        "weights",
        "In attention: the scores after the softmax, one share for each key, with sum 1. In "
        "training: all the numbers that a model learns.",
        "3.2.1",
        ("attention", "training"),
        ("weights", "weight"),
    ),
}  # fmt: skip

_WORD_OF: Final = {
    written: key
    for key, word in WORDS.items()
    for form in word.in_texts
    for written in (form, form[0].upper() + form[1:])
}
_FORMS: Final = "|".join(map(re.escape, sorted(_WORD_OF, key=len, reverse=True)))
# Code, formulas and links stay as they are; so do parts of longer words.
_MARKABLE: Final = re.compile(
    rf"(?P<left>`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\))|(?<![\w\\-])(?P<form>{_FORMS})(?![\w-])",
)


def explained(text: str) -> str:
    """Markdown in which the first mention of each word of the field is a link that explains it."""
    seen: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        form = found["form"]
        if form is None or _WORD_OF[form] in seen:
            return found[0]
        seen.add(_WORD_OF[form])
        return f"[{form}](words#{_WORD_OF[form]})"

    return _MARKABLE.sub(mark, text)
