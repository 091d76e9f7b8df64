"""Every head of an attention, large and in numbers."""

from dataclasses import replace

from explorer.analysis.attention import ATTENTION_NAMES
from explorer.analysis.head_roles import roles
from explorer.analysis.head_summary import summarise, summary_of
from explorer.answers.outside import known_here
from explorer.choices.settings import Settings
from explorer.languages import mark, numeral, tr, tr_n
from explorer.runtime.engine import Run
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.frame.page import show_sources
from explorer.views.heads import HeadsPicture, as_picture
from explorer.views.looks import marked_if_taught, roles_in_words

MOST_CELLS = 250_000  # drawn; of a picture of more, the numbers alone have megabytes
MEASURES = {
    "entropy": mark("entropy (bits)"),
    "distance": mark("mean distance"),
    "diagonal": mark("on the diagonal"),
    "previous": mark("on the previous token"),
    "frame": mark("on BOS or EOS"),
}


def show_all_heads(settings: Settings, ran: Run, every: HeadsPicture) -> None:
    """The heads of the attention in focus, a table of their numbers, and the code that made it."""
    kind, layers = every.kind, every.stacks[every.kind]
    if sum(attention.weights.size for attention in layers) <= MOST_CELLS:
        picture, name = as_picture(replace(every, stacks={kind: layers})), tr(ATTENTION_NAMES[kind])
        alt = f"{name}. {picture.alt}"
        picture = replace(picture, key="all_heads", title=name, alt=alt, code=None)
        live_plot(replace(picture, name=f"all-{kind}-heads"))
    known = known_here(settings)
    rows = []
    for attention in layers:
        numbers = summary_of(attention)
        columns = [getattr(numbers, name).tolist() for name in MEASURES]
        names = [roles_in_words(ran, attention, known)]
        if known is not None:
            names.append(
                [
                    tr("aligns best, {share:.0f}%", share=known.aligned_in_percent)
                    if known.aligns_best(kind, attention.layer, head)
                    else role.in_words
                    for head, role in enumerate(known.roles[kind][attention.layer])
                ]
            )
        rows += [
            [
                marked_if_taught(
                    tr("layer {layer}, head {head}", layer=attention.layer + 1, head=head + 1),
                    ran,
                    attention,
                    head,
                ),
                *texts,
                *(numeral(n, ".3f") for n in line),
            ]
            for head, (texts, line) in enumerate(
                zip(zip(*names, strict=True), zip(*columns, strict=True), strict=True)
            )
        ]
    what = [tr("what it does here")]
    if known is not None:
        what.append(tr_n("in {n} held-out sentence", "in {n} held-out sentences", known.sentences))
    table(
        [tr("head"), *what, *map(tr, MEASURES.values())],
        rows,
        key=f"{kind}-heads",
        caption=tr(
            "{attention}, means over the query tokens that are not PAD. What a head does: the "
            "role that gets the largest share of its attention, and how large that is. Entropy 0: "
            "one key gets everything. Distance: how many tokens away. A head that is called taught "
            "was told in training where to look.",
            attention=tr(ATTENTION_NAMES[kind]),
        ),
    )
    show_sources(summarise, roles)
