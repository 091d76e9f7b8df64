"""The texts of the tour's stops. Each answers its question with the reader's own sentence."""

from typing import Final

from explorer.analysis.causes.asked import Asked, by_head, head_in_words
from explorer.analysis.head_roles import CLEAR
from explorer.answers.outside import known_here
from explorer.choices.parameters import Stack
from explorer.config import Positions
from explorer.figures.describe import share_in_words
from explorer.languages import between, listed, mark, numeral, sentences, tr, tr_n
from explorer.markdown import literal
from explorer.names import PAD
from explorer.tour.tour_run import TourRun
from explorer.weights.catalogue import TrainedHere


def pieces(tour: TourRun) -> str:
    """What does the model read?"""
    ran, at = tour.ran, tour.key
    added = {PAD, *ran.attention("encoder", 0).frame}  # no pieces of the sentence
    count = sum(label not in added for label in ran.src_labels)
    first = tour.written.steps[0]
    read = tr(
        "The model reads nothing but numbers. So a tokenizer, in front of it, cuts the sentence "
        "into {count} pieces and looks each one up in a list of {vocabulary:,}. “{word}” is number "
        "**{id}**.",
        count=count,
        vocabulary=tour.settings.config.src_vocab_size,
        word=tour.word,
        id=int(ran.batch.src[ran.row, at]),
    )
    wrote = tr(
        "It writes in pieces, too. They stand in the line on top, each with its probability, from "
        "0 to 1: “{word}” {share:.2f}.",
        word=literal(first.writes),
        share=first.probability,
    )
    rows = len(ran.batch.src)
    if rows == 1:
        return sentences(read, wrote)
    together = tr(
        "It reads {rows} sentences at once here; PAD only fills up the shorter ones.", rows=rows
    )
    return sentences(read, wrote, together)


def embedding(tour: TourRun) -> str:
    """How does a number come to mean something?"""
    at, nearest = tour.telling_row
    chosen = Stack.word.of(tour.chosen)
    on_show = Stack.stack_shows.of(tour.chosen) == "stop" and Stack.stop.of(tour.chosen) == 0
    row_chosen = 0 if chosen is None else min(chosen, len(tour.ran.src_labels) - 1)
    if chosen is not None and on_show and tour.ran.src_labels[row_chosen] != PAD:
        at, nearest = row_chosen, tour.like(row_chosen)  # somebody looks at another one
    row = tour.ran.trace.src_embedding.embedded[0, at, :3].tolist()
    first, second, third = (numeral(number, ".3f") for number in row)
    word = literal(tour.ran.src_labels[at])
    picked = tr(
        "A number has no meaning, so it picks a row of a table that was learnt: {width} numbers "
        "(d_model) stand for “{word}”, and they begin with {first}, {second}, {third}. All that "
        "follows is arithmetic with rows like this one.",
        width=tour.settings.config.d_model,
        word=word,
        first=first,
        second=second,
        third=third,
    )
    if not nearest:
        return picked
    near = [tr("“{word}” {share:.2f}", word=literal(one), share=share) for one, share in nearest]
    meaning = tr(
        "Words that are used alike have often got rows that are alike; rare ones less so. The rows "
        "nearest to that of “{word}” are those of {words} (1 would be the same direction, 0 is "
        "nothing in common).",
        word=word,
        words=listed(near),
    )
    return sentences(picked, meaning)


# By the kind of positions: what gives a word its place.
_POSITIONS: Final[dict[Positions, str]] = {
    "sinusoidal": mark(
        "So every position has a pattern of waves of its own, which is added to the word's row."
    ),
    "learned": mark(
        "So every position has a row of numbers that was learnt, and it is added to the word's row."
    ),
    "none": mark("This model has no positions at all."),
}
_DISTANCES: Final = mark(
    "This model tells the order inside attention, by the distance between two words."
)


def positions(tour: TourRun) -> str:
    """How does it know the order of the words?"""
    bag = tr(
        "The encoder reads all words at once. Without positions they would be a bag of words: if "
        "two words changed places, each would keep its vector. (A decoder would notice: its mask "
        "lets each word see only itself and those before it.)"
    )
    kind = tour.settings.config.positions
    answer = _POSITIONS.get("sinusoidal" if kind == "halves" else kind, _DISTANCES)
    place = tr(
        "“{word}” stands at position **{position}**, counted from 0.",
        word=tour.word,
        position=tour.key,
    )
    return sentences(bag, tr(answer), place)


def one_weight(tour: TourRun) -> str:
    """How does one word look at another?"""
    layer, head, query, key = tour.large_weight
    found = tour.ran.attention("encoder", layer)
    asks, answers = tour.source_name(query), tour.source_name(key)
    made = tr(
        "Three learnt tables make three short rows of each word: a query q that asks, a key k that "
        "is compared with it, and a value v that is handed on (d_k = {width} numbers each).",
        width=tour.settings.config.d_k,
    )
    compared = tr("q·k says how well two words fit.")
    scaled = (
        tr(
            "The longer the rows, the further apart lie the values of q·k, and one word would take "
            "nearly all of the attention. ÷ √d_k undoes that: heads of any width begin with values "
            "about as far apart."
        )
        if tour.settings.config.scale_scores
        else tr("The paper divides it by √d_k; this model does not.")
    )
    shared = tr(
        "The softmax turns the scores into shares that sum to 1. “{asks}” gives “{answers}” "
        "**{weight:.3f}** of its attention, and takes that much of its value.",
        asks=asks,
        answers=answers,
        weight=found.weights[head, query, key],
    )
    return f"{made} {compared} {scaled} {shared}"


def many_heads(tour: TourRun) -> str:
    """Why are there many heads?"""
    layer, found = tour.clearest
    n_heads = tour.settings.config.n_heads
    best: dict[str, str] = {}  # for each role, its clearest head
    for number, role in sorted(enumerate(found, start=1), key=lambda one: -one[1].share):
        if role.share >= CLEAR:
            named = tr("head {number} ({job})", number=number, job=role.in_words)
            best.setdefault(role.name, named)
    why = tr(
        "One head gives each word a single mixture of values. So heads work side by side (here "
        "{n_heads}), each with weights of its own, and what they find is put together.",
        n_heads=n_heads,
    )
    return f"{why} {_clearest_jobs(layer, list(best.values())[:2])}"


def _clearest_jobs(layer: int, clear: list[str]) -> str:
    """A sentence about the heads of this layer whose jobs are clear: two at most."""
    where = tr("layer {layer} of the encoder", layer=layer + 1)
    if not clear:
        return tr(
            "In {place}, no head has a job in this sentence that is easily named.",
            place=where,
        )
    if len(clear) == 1:
        return tr(
            "In {place}, {head} has the clearest job in this sentence. (In brackets: where it "
            "looks, with how much of its attention.)",
            place=where,
            head=clear[0],
        )
    return tr(
        "In {place}, {heads} have the clearest jobs in this sentence. (In brackets: where they "
        "look, with how much of their attention.)",
        place=where,
        heads=listed(clear),
    )


def masks(tour: TourRun) -> str:
    """What must it not see?"""
    step = tour.step
    return tr(
        "Two parts of the model are at work: the encoder reads the sentence, the decoder writes "
        "the answer. While it learns, the decoder has the whole right answer in front of it "
        "(teacher forcing); here it has its own. So what comes later is hidden: in the row "
        "“{reads} → {writes}” it has read “{reads}” and must guess “**{writes}**”; if it could "
        "look there, it would learn only to copy. PAD is hidden from everybody.",
        reads=tour.target_name(step.position),
        writes=tour.target_name(step.position + 1),
    )


def layers(tour: TourRun) -> str:
    """What is the use of many layers?"""
    ran, at = tour.ran, tour.step.position
    lens = ran.logit_lens()
    names = ran.batch.tgt_names(lens.best[:, at].tolist())
    guesses = between("; ").join(
        tr(
            "after layer {layer}: “{word}”",
            layer=layer,
            word=literal(name),
        )
        for layer, name in enumerate(names)
        if layer
    )
    adds = tr(
        "Each layer adds something to every word's numbers, at times more than was there; what it "
        "passes on is called the residual stream. Read what it would write after “{reads}” after "
        "each layer, as if that were the last one — {guesses}. That is the framed column, from top "
        "to bottom. The early guesses need not be good: only the last layer has learnt to be read "
        "like this.",
        reads=tour.target_name(at),
        guesses=guesses,
    )
    if ran.batch.tgt_names([int(lens.best[0, at])])[0] == tour.step.reads:
        return (
            adds + " " + tr("Before the first layer, it knows only the last word that it has read.")
        )
    return adds


def translation(tour: TourRun) -> str:
    """Where does translation happen?"""
    layer, head = tour.aligning
    weight = tour.ran.attention("cross", layer).weights[head, tour.step.position, tour.key]
    meet = tr(
        "Where “**{writes}**” is written, this head, one of {heads}, looks at “**{word}**” with "
        "{weight:.2f} of its attention: q comes from the answer, k and v from the source.",
        heads=tour.settings.config.n_heads * tour.settings.config.n_decoder_layers,
        writes=tour.written_name(tour.step),
        word=tour.source_name(tour.key),
        weight=weight,
    )
    learnt = tr("Nobody wrote a rule for it: it was learnt.")
    for kind, at, beside in tour.taught:
        if (kind, at) == ("cross", layer):  # one of each layer
            learnt = tr(
                "Nobody told this head where to look; head {head}, beside it, was taught to look "
                "at what is copied.",
                head=beside + 1,
            )
    cause = tr("A look is no cause: what comes out depends on all heads and layers.")
    meet = sentences(meet, learnt, cause)
    known = known_here(tour.settings)
    if known is None:
        return meet
    perfect = tr(
        "Of these heads, it aligns source and answer best: for {share:.0%} of the words that were "
        "marked by hand in 100 sentences, it looks most at the right one.",
        share=known.aligned_in_percent / 100,
    )
    return sentences(meet, perfect)


def choosing(tour: TourRun) -> str:
    """How is the next word chosen?"""
    step, batch = tour.unsure, tour.ran.batch
    assert batch.tgt_out is not None
    written = int(batch.tgt_out[tour.ran.row, step.position])
    other, other_share = next(rival for rival in step.rivals if rival[0] != written)
    logits = tour.ran.trace.logits[0, step.position].tolist()
    every = tr(
        "Each of the {vocabulary:,} pieces gets a score, its logit, and the softmax turns the "
        "scores into probabilities.",
        vocabulary=tour.settings.config.tgt_vocab_size,
    )
    doubt = tr(
        "Here it was least sure: “**{word}**” has the logit {logit:.2f} and the probability "
        "**{share:.2f}**, the likeliest other piece is “{other}” with {other_logit:.2f} and "
        "{other_share}.",
        word=tour.written_name(step),
        logit=logits[written],
        share=step.probability,
        other=literal(batch.tgt_names([other])[0]),
        other_logit=logits[other],
        other_share=share_in_words(other_share),
    )
    greedy = tr("Greedy decoding takes the largest, and reads what it wrote before it goes on.")
    return sentences(every, doubt, greedy)


def search(tour: TourRun) -> str:
    """Is the likeliest word the best one?"""
    return tr(
        "Here greedy decoding is least sure at “{word}” ({share:.2f}). The likeliest next piece is "
        "not always on the way to the likeliest sentence. Beam search keeps several beginnings "
        "alive, each with a score: its log-probability, divided by a number that grows with its "
        "length (nearer to 0 is better). It takes the best whole answer that it has met; the "
        "likeliest need not be right. Sampling draws the next piece by chance; the temperature "
        "divides the logits first, so a high one gives unlikely pieces a better chance.",
        word=tour.written_name(tour.unsure),
        share=tour.unsure.probability,
    )


def learning(tour: TourRun) -> str:
    """How did it learn all this?"""
    began = tr(
        "Nobody programmed how to do this. Nearly all of the {numbers:,} numbers of the tour's "
        "model began as noise. It guessed every next piece and was told the right one. The loss "
        "says how surprised it was (−ln of the probability of the right piece). Its gradient says "
        "in which direction to move each number so that the loss gets smaller, and each was moved "
        "a little, again and again. Held-out sentences, which it never learns from, test it.",
        numbers=tour.settings.config.n_weights,
    )
    if tour.taught:
        told = tr_n(
            "{n} of its heads was also told where to look.",
            "{n} of its heads were also told where to look.",
            len(tour.taught),
        )
        began = sentences(began, told)
    if isinstance(tour.settings.request.source, TrainedHere):
        now = tr(
            "This small model was trained here: the answer at the top of the page is its own. Move "
            "*Replay* to see how its attention took shape."
        )
    else:
        now = tr(
            "Here another model, a much smaller one, learns to reverse a sentence while you watch."
        )
    return sentences(began, now)


def mattering(tour: TourRun) -> str:
    """Does the head that looks there matter?"""
    layer, head = tour.aligning
    causes, step = tour.causes, tour.doubtful
    key = tour.key_of(step)
    word = tour.source_name(key)
    asked, changes = Asked.of(causes.question), by_head(causes.without_heads())
    most, before = max(changes, key=lambda at: abs(changes[at])), causes.question.answer
    weight = causes.run.attention("cross", layer).weights[head, step.position, key]
    hidden = float(causes.attributed("occlusion").numbers[key])
    looks = tr(
        "Where “**{writes}**” is written, layer {layer}, head {head} looks at “**{word}**” with "
        "{weight:.2f} of its attention. Does that matter? With the head switched off, the "
        "probability of “{writes}” is **{after}**; with it, **{before}**.",
        writes=tour.written_name(step),
        layer=layer + 1,
        head=head + 1,
        word=word,
        weight=weight,
        before=asked.level(before),
        after=asked.level(before + changes["cross", layer, head]),
    )
    others = tr(
        "Of all {heads} heads, {most} changes that most: without this head, {left}. Hide the piece "
        "“{word}” itself from every attention, and it is **{hidden}**. Heads can stand in for each "
        "other; a look alone does not say what was needed.",
        heads=len(changes),
        most=head_in_words(*most),
        left=asked.level(before + changes[most]),
        word=word,
        hidden=asked.level(before - hidden),
    )
    return sentences(looks, others)


def feed_forward(tour: TourRun) -> str:
    """What happens to each word by itself?"""
    ran, at = tour.ran, tour.key
    layer = ran.trace.encoder[-1]
    hidden = layer.feed_forward.hidden[0, at]
    came = layer.attention_residual.added[0, at].norm()
    n_active = int((hidden > 0).sum())
    inside = tr(
        "At “{word}”, {active:,} of the {width:,} hidden numbers (d_ff) of layer {layer} are above "
        "0; the others are kept out by max(0, x). The weights are the same at every word.",
        word=tour.word,
        active=n_active,
        width=len(hidden),
        layer=tour.settings.config.n_encoder_layers,
    )
    adds = tr(
        "What came in was {came:.1f} long, measured as the arrow that its numbers are; the network "
        "adds an arrow of {added:.1f}. So a layer changes what is there, and does not replace it.",
        came=float(came),
        added=float(layer.feed_forward.out[0, at].norm()),
    )
    return sentences(inside, adds)
