"""The choices of the page Why?: the word in question, its rival, and a head."""

from collections.abc import Container
from contextlib import suppress
from dataclasses import replace

from explorer.analysis.attention import content_words
from explorer.analysis.causes.asked import Asked, Head, heads_by_name
from explorer.analysis.causes.question import Question, Sentence
from explorer.analysis.writing import MASKS
from explorer.answers.asking import rows_written
from explorer.choices.parameters import Parameter, Why
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.markdown import literal
from explorer.names import ATTENTION_KINDS, PAD, AttentionKind
from explorer.rules import of_words
from explorer.runtime.causes import Causes, sentence_of
from explorer.runtime.engine import Run
from explorer.text import Answer
from explorer.ui.components.answer_pieces import answer_pieces
from explorer.ui.controls.choices import choose, chosen, on_show, value
from explorer.ui.controls.widgets import field, number
from explorer.ui.frame.running import tell
from explorer.ui.frame.session import memory


def choose_word(settings: Settings, ran: Run) -> int:
    """Let the visitor choose the word in question; returns its row.

    Without a choice, it is the first content word; in a sentence with a mask, the masked word. In
    an answer of the model, a piece is chosen in the line on top.
    """
    sentence, places = sentence_of(ran), places_of(settings, ran)
    names = [_name(sentence, at) for at in places]
    is_answer, at = isinstance(settings.targets[ran.row], Answer), chosen(Why.why_at)
    words = [ran.batch.tgt_out_labels[ran.row][at] for at in places] if is_answer else names
    if at not in places:
        masks = (n for n, name in enumerate(names) if name in MASKS)
        at = places[next(masks, content_words(words)[0])]
    on_show()[Why.why_at.key] = at
    if is_answer:
        return at
    # The words of an encoder are those that it reads, which have no probability.
    writes = settings.config.n_logits and sentence.has_decoder
    shares = [_share(sentence, at) for at in places] if writes else None
    answer_pieces(
        names,
        shares,
        tr("The piece in question: click another one."),
        chosen=places.index(at),
        on_picked=lambda number: _ask_about(places[number]),
        key="why_pieces",
    )
    return at


def _ask_about(at: int) -> None:
    """Put another word in question, without a rival."""
    choose(Why.why_at, at)
    choose(Why.rival, None)


def question_of(ran: Run, at: int) -> Question:
    """The question about a word without a rival, or about the chosen dimension."""
    config, dimension = ran.request.config, value(Why.why_dimension)
    token = None if config.n_logits else min(dimension, config.d_model - 1)
    return Question.of(sentence_of(ran), at, token)


def choose_rival(settings: Settings, ran: Run, at: int) -> Causes | str:
    """Let the visitor name a rival, or a dimension of a model that writes no words.

    If the typed text cannot be a rival, returns a message that says why.
    """
    if not settings.config.n_logits:
        last = settings.config.d_model - 1
        number(Why.why_dimension, tr("Dimension, 0 to {last}", last=last), most=last)
        return Causes(ran, question_of(ran, at), tell)
    forget_with_source(settings, Why.rival)
    written = question_of(ran, at)
    hint = tr("a rival, such as {piece}", piece=_likeliest_other(written))
    field(Why.rival.key, tr("Why not …?"), value(Why.rival) or "", placeholder=hint)
    rival = typed_rival(settings, written)
    if (typed := _typed()) and rival in (None, written.token):
        return _no_rival(settings, written, typed, rival)
    return Causes(ran, replace(written, rival=rival), tell)


def typed_rival(settings: Settings, question: Question) -> int | None:
    """The id of the rival that was typed; None if it is no piece of what the model writes."""
    typed = _typed()
    return _as_piece(settings, question.sentence, typed) if typed else None


def _typed() -> str:
    return (value(Why.rival) or "").strip()


def forget_with_source(settings: Settings, parameter: Parameter[str | None]) -> None:
    """Undo a choice that was made for another source."""
    key, source = f"{parameter.key}_of", settings.sources[settings.row]
    source_before, choice_before = memory().get(key, (source, None))
    if source_before != source and choice_before == value(parameter):
        choose(parameter, None)
    memory()[key] = source, value(parameter)


def chosen_head(
    settings: Settings, kinds: Container[AttentionKind | None] = ATTENTION_KINDS
) -> Head | None:
    """The head that a click has chosen; None without one, or if it is not among those shown."""
    choice = chosen(Why.why_head) or ""
    found = heads_by_name(settings.config).get(choice)
    if found is None or found[0] not in kinds:
        return None
    on_show()[Why.why_head.key] = choice
    return found


def without_dropout(settings: Settings) -> Settings:
    """The settings without dropout, as the model answers: causes are measured without it."""
    return replace(settings, dropout_seed=None)


def places_of(settings: Settings, ran: Run) -> list[int]:
    """The rows that may be in question: those at which the model wrote something."""
    sentence = sentence_of(ran)
    words = sentence.words
    if not sentence.has_decoder or ran.batch.tgt_out is None:
        return words
    if isinstance(settings.targets[ran.row], Answer):
        rows = rows_written(settings, ran.row)
    else:
        rows = [at for at, label in enumerate(ran.batch.tgt_out_labels[ran.row]) if label != PAD]
    # A model may write PAD into its answer: nothing is asked of the row that reads it.
    return [at for at in rows if at in words] or words


def _name(sentence: Sentence, at: int) -> str:
    """The word written at a row; for an encoder alone, the word read there."""
    if not sentence.has_decoder:
        return sentence.batch.src_labels[sentence.row][at]
    return Asked.of(Question.of(sentence, at)).word


def piece_name(question: Question, token: int) -> str:
    """The name of another token in place of the one in question."""
    return Asked.of(replace(question, token=token)).word


def _share(sentence: Sentence, at: int) -> float:
    question = Question.of(sentence, at)
    return float(sentence.outcome[at].softmax(dim=-1)[question.token])


def _likeliest_other(question: Question) -> str:
    """The likeliest other piece, preferably one that has a word of its own."""
    sentence = question.sentence
    logits = of_words(sentence.outcome[question.position], sentence.batch.specials)
    others = [i for i in logits.argsort(descending=True).tolist() if i != question.token]
    words = filter(sentence.vocabulary.has_word, others)
    return piece_name(question, next(words, others[0]))


def _as_piece(settings: Settings, sentence: Sentence, typed: str) -> int | None:
    """The id of what was typed, if it is one piece of what the model writes."""
    # Within a text a piece may begin with a space, which few people would type.
    versions = [_pieces(settings, sentence, text) for text in (f" {typed}", typed)]
    alone = [pieces[0] for pieces in versions if len(pieces) == 1]
    folded = typed.casefold()
    # Without the special pieces, another piece may be left, such as a space.
    whole = [
        piece for piece in alone if settings.tokenizer.join([piece]).strip().casefold() == folded
    ]
    for word in (*whole, typed):
        with suppress(ValueError):
            return sentence.id_of(word, "rival")
    return None


def _pieces(settings: Settings, sentence: Sentence, typed: str) -> list[str]:
    """The pieces of what was typed, without those that only begin and end a sentence."""
    special = sentence.vocabulary.specials.names().values()
    return [piece for piece in settings.tokenizer.split(typed) if piece not in special]


def _no_rival(settings: Settings, question: Question, typed: str, rival: int | None) -> str:
    if rival is not None:
        word = piece_name(question, rival)
        return literal(
            tr("A rival must be another piece than “{word}”: name one, or none.", word=word)
        )
    other = _likeliest_other(question)
    pieces = _pieces(settings, question.sentence, typed)
    if len(pieces) > 1:
        return literal(
            tr(
                "A rival must be one piece of the vocabulary, and “{typed}” is {n}: {pieces}. Name "
                "one of them, or another word, such as “{other}”.",
                typed=typed[:40],
                n=len(pieces),
                pieces=" ".join(pieces[:12]) + " …" * (len(pieces) > 12),
                other=other,
            )
        )
    return literal(
        tr(
            "A rival must be one piece of the vocabulary, and “{typed}” is none: name another "
            "word, such as “{other}”.",
            typed=typed[:40],
            other=other,
        )
    )
