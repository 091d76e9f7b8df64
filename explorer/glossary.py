"""The words of the field, each explained in a sentence or two, and a way to mark them in a text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from explorer.languages import mark, spoken, tr


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the field, in English."""

    says: str
    section: str  # of the paper
    pages: tuple[str, ...]  # that show it, named as in the registry
    forms: str  # as it stands in texts, separated by |; the first is its name

    @property
    def name(self) -> str:
        """Its name, in the reader's language."""
        return self.in_texts[0]

    @property
    def in_texts(self) -> tuple[str, ...]:
        """The forms of the word that are marked in texts, in the reader's language."""
        return tuple(form for form in tr(self.forms).split("|") if form)


# By the anchor of the word on its page. A single form ends in "|": else it could not be translated
# apart from the same word elsewhere.
WORDS: Final[Mapping[str, Word]] = {
    "activation-patching": Word(
        mark(
            "An activation of one run is put in place of that of another, and all that follows is "
            "computed anew. It shows which part carries the difference between two sentences."
        ),
        "",
        ("why",),
        mark("activation patching|patching|patch"),
    ),
    "attention": Word(
        mark(
            "For each word, attention mixes the values of all words that it may look at (in "
            "self-attention, its own too), with one weight for each of them: the more weight, the "
            "more it “looks at” that word."
        ),
        "3.2",
        ("attention", "steps"),
        # Translators: here and below, every form in which the word may stand in a sentence,
        # separated by |. Forms also match with a capital letter.
        mark("attention|"),
    ),
    "rollout": Word(
        mark(
            "Weights multiplied through all layers, half of each for the residual connection: from "
            "which words a vector may have come, if weights were all that counts."
        ),
        "",
        ("why",),
        mark("attention rollout|"),
    ),
    "batch": Word(
        mark(
            "Several sentences that are computed together, as one table with a row for each "
            "sentence. PAD fills the shorter rows."
        ),
        "5.1",
        ("tokens",),
        mark("batch|batches"),
    ),
    "beam-search": Word(
        mark(
            "A way to choose words: the few likeliest beginnings are kept at every step, not only "
            "the best one. Their number is the width of the beam."
        ),
        "6.1",
        ("decoding",),
        mark("beam search|"),
    ),
    "bleu": Word(
        mark(
            "A measure of translations, from 0 to 100: how many short sequences of words they "
            "share with translations by people."
        ),
        "6.1",
        (),
        "BLEU",
    ),
    "bos": Word(
        mark(
            "Beginning of sentence: the first token that the decoder reads, before any word is "
            "written. Other texts call it START or SOS."
        ),
        "",
        ("tokens", "decoding"),
        "BOS|START",
    ),
    "causal-mask": Word(
        mark(
            "Hides all later words from each target word: what is still to be written must not be "
            "known. Also called look-ahead or no-peek mask."
        ),
        "3.2.3",
        ("masks",),
        mark("causal mask|causal masks"),
    ),
    "context": Word(
        mark(
            "What a head has collected for one word: the sum of all values, each times its weight."
        ),
        "3.2.1",
        ("steps",),
        mark("context|"),
    ),
    "cross-attention": Word(
        mark(
            "The attention of target words to source words. The queries come from the decoder, "
            "the keys and values from the encoder's memory."
        ),
        "3.2.3",
        ("attention", "decoding"),
        mark("cross-attention|"),
    ),
    "d-ff": Word(
        mark(
            "The width of the hidden layer in the feed-forward part: 2048 in the paper, four "
            "times d_model."
        ),
        "3.3",
        ("stack",),
        "d_ff",
    ),
    "d-k": Word(
        mark(
            "The length of one query or key. In the paper it is d_model divided by the number of "
            "heads, and the product of a query and a key is divided by its square root."
        ),
        "3.2.1",
        ("steps",),
        "d_k",
    ),
    "d-model": Word(
        mark("How many numbers describe one token inside of the model: 512 in the paper."),
        "3.1",
        ("home", "stack"),
        "d_model",
    ),
    "decoder": Word(
        mark(
            "The half of the model that writes. It reads the words written so far, looks at the "
            "encoder's memory, if there is one, and gives a probability to every possible next "
            "token."
        ),
        "3.1",
        ("home", "decoding"),
        mark("decoder|decoders"),
    ),
    "dropout": Word(
        mark(
            "While a model learns, some numbers are set to 0 by chance, so that it does not rely "
            "on any single one. When it answers, dropout is off."
        ),
        "5.4",
        ("training", "steps"),
        mark("dropout|"),
    ),
    "embedding": Word(
        mark(
            "The vector of learned numbers that stands for a token. Tokens with the same id have "
            "the same embedding."
        ),
        "3.4",
        ("stack",),
        mark("embedding|embeddings"),
    ),
    "encoder": Word(
        mark("The half of the model that reads the source sentence. Its result is the memory."),
        "3.1",
        ("home", "stack"),
        mark("encoder|encoders"),
    ),
    "eos": Word(
        mark(
            "End of sentence: the token that ends a sentence. The decoder stops when it has "
            "chosen EOS."
        ),
        "",
        ("tokens", "decoding"),
        "EOS",
    ),
    "feed-forward": Word(
        mark(
            "In the paper, two linear layers with a ReLU between them, applied to each position by "
            "itself."
        ),
        "3.3",
        ("stack",),
        mark("feed-forward|"),
    ),
    "gradient": Word(
        mark(
            "For each weight, how fast the loss would grow if that weight grew. Training moves all "
            "weights a little in the opposite direction."
        ),
        "5.3",
        ("training", "why"),
        mark("gradient|gradients"),
    ),
    "greedy": Word(
        mark("A way to choose words: always the likeliest one, without looking further ahead."),
        "",
        ("decoding",),
        mark("greedy|"),
    ),
    "head": Word(
        mark(
            "One of several attentions that run side by side in a layer. Each has queries, keys "
            "and values of its own, so each can look for something else."
        ),
        "3.2.2",
        ("attention",),
        mark("head|heads"),
    ),
    "held-out": Word(
        mark(
            "Sentences that were kept apart and never trained on. They show what a model can do "
            "with something new."
        ),
        "",
        ("training",),
        mark("held-out sentences|"),
    ),
    "id": Word(
        mark(
            "The number of a token in the vocabulary. The model reads only ids. Which number a "
            "token has means nothing."
        ),
        "",
        ("tokens",),
        mark("id|ids"),
    ),
    "input-x-gradient": Word(
        mark(
            "Each word's embedding times the slope of log p there: what would be lost if its "
            "embedding were 0, as far as a straight line can tell."
        ),
        "",
        ("why",),
        mark("input × gradient|"),
    ),
    "integrated-gradients": Word(
        mark(
            "Each word's embedding times the slope of log p, averaged on the way from an embedding "
            "of 0. Together they make up the difference in log p between this input and one whose "
            "embeddings are all 0."
        ),
        "",
        ("why",),
        mark("integrated gradients|"),
    ),
    "key": Word(
        mark(
            "The vector with which a word can be found by others. A query times a key, in the "
            "paper divided by √d_k, gives the score of that word."
        ),
        "3.2.1",
        ("steps",),
        mark("key|keys"),
    ),
    "kv-cache": Word(
        mark(
            "Keys and values of the words already written are kept: only the new word passes "
            "through the layers. They stay right because no word sees a later one. The answer on "
            "top is written so."
        ),
        "",
        ("decoding",),
        mark("KV cache|"),
    ),
    "label-smoothing": Word(
        mark(
            "In training, the right word is asked for with a little less than 100%: a share ε is "
            "spread evenly over the whole vocabulary. The model becomes less sure; in the paper, "
            "its translations got better."
        ),
        "5.4",
        ("training",),
        mark("label smoothing|"),
    ),
    "layer": Word(
        mark(
            "One round of attention and feed-forward. Encoder and decoder are stacks of layers, "
            "six each in the paper; each goes on with the result of the one before."
        ),
        "3.1",
        ("stack",),
        mark("layer|layers"),
    ),
    "layer-norm": Word(
        mark(
            "Shifts and scales the numbers of each token to mean 0 and deviation 1, and then by "
            "learned amounts. In the paper it follows every residual sum."
        ),
        "3.1",
        ("stack",),
        mark("layer norm|layer norms"),
    ),
    "learning-rate": Word(
        mark(
            "How far one step of training moves the weights. In the paper it rises during the "
            "first 4,000 steps, and then falls."
        ),
        "5.3",
        ("training",),
        mark("learning rate|learning rates"),
    ),
    "logit-difference": Word(
        mark(
            "The logit of the written word minus that of a rival: how much more the model is for "
            "the one than for the other."
        ),
        "",
        ("why",),
        mark("logit difference|rival|rivals"),
    ),
    "logit-lens": Word(
        mark(
            "The vector after each layer is read as if it were the last one: the word that the "
            "model would write if it stopped there."
        ),
        "",
        ("stack",),
        mark("logit lens|"),
    ),
    "logits": Word(
        mark(
            "One number for each token of the vocabulary, before the softmax turns them into "
            "probabilities. The largest one is the likeliest next token."
        ),
        "3.4",
        ("stack", "decoding"),
        mark("logits|logit"),
    ),
    "loss": Word(
        mark(
            "How wrong the predictions are: minus the logarithm of the probability of the right "
            "word, averaged over all words. Training makes it smaller."
        ),
        "",
        ("training",),
        mark("loss|"),
    ),
    "mask": Word(
        mark(
            "Says which keys a query may attend to. A hidden key gets the score −∞, so that its "
            "weight is 0."
        ),
        "3.2.3",
        ("masks",),
        mark("mask|masks"),
    ),
    "memory": Word(
        mark(
            "What the encoder has made of the source: one vector for each of its tokens. All "
            "layers of the decoder look at it."
        ),
        "3.2.3",
        ("stack", "attention"),
        mark("memory|"),
    ),
    "nat": Word(
        mark(
            "The unit of natural logarithms of probabilities: one nat less is the probability "
            "divided by e, 2.72."
        ),
        "",
        ("why", "training"),
        mark("nat|nats"),
    ),
    "occlusion": Word(
        mark(
            "A word is hidden from every attention and the model runs again, to see how much "
            "probability what it wrote loses."
        ),
        "",
        ("why",),
        mark("occlusion|"),
    ),
    "pad": Word(
        mark(
            "Fills up short sentences, so that all rows of a batch have the same length. It has "
            "no meaning: a mask hides it."
        ),
        "",
        ("tokens", "masks"),
        "PAD",
    ),
    "positional-encoding": Word(
        mark(
            "In the paper, a vector for each position, added to the embedding. Without positions, "
            "the encoder could not tell in which order the words stand."
        ),
        "3.5",
        ("positions",),
        mark("positional encoding|positional encodings"),
    ),
    "query": Word(
        mark(
            "The vector with which a word asks for others: it is compared with the key of each "
            "word."
        ),
        "3.2.1",
        ("steps",),
        mark("query|queries"),
    ),
    "residual": Word(
        mark(
            "The input of each part is added to its output. So a word's vector runs through the "
            "whole model, and every part adds something to it."
        ),
        "3.1",
        ("stack",),
        mark("residual connection|residual connections|residual"),
    ),
    "residual-stream": Word(
        mark(
            "The vector of one word on its way through the layers: each part reads it, and adds "
            "its output to it."
        ),
        "",
        ("stack",),
        mark("residual stream|"),
    ),
    "sampling": Word(
        mark("A way to choose words: by chance, where likelier words are drawn more often."),
        "",
        ("decoding",),
        mark("sampling|"),
    ),
    "scores": Word(
        mark(
            "How well a query fits each key: their product, in the paper divided by √d_k. The "
            "softmax turns scores into weights."
        ),
        "3.2.1",
        ("steps",),
        mark("scores|score"),
    ),
    "self-attention": Word(
        mark(
            "Attention within one sentence: queries, keys and values all come from its own words."
        ),
        "3.2.3",
        ("attention",),
        mark("self-attention|"),
    ),
    "softmax": Word(
        mark(
            "Turns any numbers into positive shares with sum 1: e to the power of each, divided "
            "by the sum of all. The larger a number, the larger its share."
        ),
        "3.2.1",
        ("steps",),
        mark("softmax|"),
    ),
    "source": Word(
        mark("The sentence that the encoder reads, in short src. The answer is called the target."),
        "",
        ("tokens",),
        mark("source|source word|source words"),
    ),
    "subword": Word(
        mark(
            "A piece of a word. Frequent words are one piece, rare ones several, so that any word "
            "can be written with a few thousand pieces."
        ),
        "5.1",
        ("tokens",),
        mark("subword|subwords|pieces"),
    ),
    "target": Word(
        mark(
            "The sentence that the decoder reads and writes, in short tgt. At each position it "
            "reads one token and predicts the next."
        ),
        "",
        ("tokens",),
        mark("target|target word|target words"),
    ),
    "target-mask": Word(
        mark(
            "The mask of the decoder's self-attention: the causal mask and the padding mask in "
            "one. A key is open only where both leave it open."
        ),
        "3.2.3",
        ("masks",),
        mark("target mask|target masks"),
    ),
    "teacher-forcing": Word(
        mark(
            "In training, the decoder reads the right words so far, even where it would have "
            "written others. So all positions can be learned at once."
        ),
        "",
        ("training", "tokens"),
        mark("teacher forcing|"),
    ),
    "temperature": Word(
        mark(
            "The logits are divided by it before sampling. Below 1, likely words become likelier; "
            "above 1, unlikely words get more of a chance."
        ),
        "",
        ("decoding",),
        mark("temperature|"),
    ),
    "token": Word(
        mark("The unit that the model reads: a word, a piece of a word, or a character."),
        "3.4",
        ("tokens",),
        mark("token|tokens"),
    ),
    "top-k": Word(
        mark(
            "Sampling from the likeliest words only: from the k likeliest, or from as many as are "
            "needed for a probability of p together."
        ),
        "",
        ("decoding",),
        mark("top-k and top-p|top-k|top-p"),
    ),
    "unk": Word(
        mark("Stands for any token that is not in the vocabulary."),
        "",
        ("tokens",),
        "UNK",
    ),
    "value": Word(
        mark(
            "The vector that a word hands over to those that look at it. A head's result is the "
            "sum of all values, each times its weight."
        ),
        "3.2.1",
        ("steps",),
        mark("value|values"),
    ),
    "value-zeroing": Word(
        mark(
            "One word's value is set to 0, layer by layer: how far does each vector turn? The "
            "word that is written plays no role."
        ),
        "",
        ("why",),
        mark("value zeroing|"),
    ),
    "vocabulary": Word(
        mark("The list of all tokens that a model knows, each with its id."),
        "5.1",
        ("tokens",),
        mark("vocabulary|vocabularies"),
    ),
    "weights": Word(
        mark(
            "In attention: the scores after the softmax, one share for each key, with sum 1. In "
            "training: all the numbers that a model learns."
        ),
        "3.2.1",
        ("attention", "training"),
        mark("weights|weight"),
    ),
}

# Code, formulas and links stay as they are; so do parts of longer words. Chinese characters may
# stand on both sides of a word, and Hangul after it: particles.
_HAN: Final = "\u3400-\u9fff\uf900-\ufaff"
_HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_MARKABLE: Final = (
    r"(?P<left>Attention Is All You Need|`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\)"
    r"|“[^”]*”|„[^“]*“|«[^»]*»|‘[^’]*’|「[^」]*」)"
    rf"|(?<![\\-])(?<![^\W{_HAN}])(?P<form>%s)(?![^\W{_HAN}{_HANGUL}]|-)"
)


def marked(text: str) -> tuple[str, set[str]]:
    """Markdown in which the first mention of each word is a link, and the words that it has."""
    markable, anchors = _markable(spoken())
    seen: set[str] = set()

    def link(found: re.Match[str]) -> str:
        form = found["form"]
        if form is None or anchors[form] in seen:
            return found[0]
        seen.add(anchors[form])
        return f"[{form}](glossary#{anchors[form]})"

    return markable.sub(link, text), seen


@cache
def _markable(_language: str) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """A pattern for all forms of words in the reader's language, and the anchor of each form."""
    anchors = {
        written: anchor
        for anchor, word in WORDS.items()
        for form in word.in_texts
        for written in (form, form[0].upper() + form[1:])
    }
    forms = "|".join(map(re.escape, sorted(anchors, key=len, reverse=True)))
    return re.compile(_MARKABLE % forms), anchors
