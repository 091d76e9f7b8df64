"""What does the model read? From sentences to tokens, ids and a padded batch."""

import streamlit as st

from explorer import text
from explorer.figures.batch import ids_heatmap
from explorer.figures.theme import THEMES
from explorer.ui.frame import begin
from explorer.ui.live_plot import live_plot
from explorer.ui.page import heading, show_code
from explorer.ui.reading import require_words

settings = begin()
heading(
    "What does the model read?",
    "Sentences become tokens, tokens become ids, and PAD fills every row up to the same length.",
)
batch = settings.batch()
row = min(settings.row, len(batch.src) - 1)
for sentence in range(len(batch.src)):
    require_words(batch, sentence)
theme = THEMES[settings.theme]
src, tgt_in = batch.src.numpy(), batch.tgt_in.numpy()
n_src = int((src != batch.pad_id).sum())


def panel(title: str, ids, labels, key: str) -> None:
    st.markdown(f"**{title}** · shape ({ids.shape[0]}, {ids.shape[1]})")
    words = "; ".join(
        f"sentence {n + 1}: " + " ".join(map("{}={}".format, line, numbers))
        for n, (line, numbers) in enumerate(zip(labels, ids.tolist(), strict=True))
    )
    live_plot(
        ids_heatmap(ids, labels, batch.pad_id, theme),
        key=key,
        alt=f"{title}, tokens=ids. {words}",
    )


panel("Source · the encoder reads `src`", src, batch.src_labels, "src_ids")
panel("Target · the decoder reads `tgt_in`", tgt_in, batch.tgt_in_labels, "tgt_in_ids")
if batch.tgt_out is None:
    st.caption(
        "Ids are used as typed: the decoder reads them all, no BOS or EOS is added, nothing is "
        "shifted."
    )
else:
    panel(
        "Target · the decoder should answer `tgt_out`",
        batch.tgt_out.numpy(),
        batch.tgt_out_labels,
        "tgt_out_ids",
    )
    st.markdown(
        "**Why two targets?** Read `tgt_in` and `tgt_out` column by column: at every position the "
        "decoder has read the words so far and is asked for the *next* one. It starts from BOS "
        "alone, so nothing leaks; it ends when it answers EOS."
    )
st.markdown(
    f"**Real tokens**, PAD not counted: {n_src} of {src.size} in the source, "
    f"{batch.n_tokens} of {tgt_in.size} to be predicted in the target."
)

with st.expander(f"Token by token: pair {row + 1}"):
    columns = st.columns(2)
    for column, name, ids, labels in (
        (columns[0], "Source", src[row], batch.src_labels[row]),
        (columns[1], "tgt_in", tgt_in[row], batch.tgt_in_labels[row]),
    ):
        column.markdown(f"**{name}**")
        column.dataframe(
            {"position": range(len(ids)), "token": labels, "id": ids}, hide_index=True, height=280
        )
    st.caption(
        "PAD 0, BOS 1, EOS 2, UNK 3; words get the next free id in the order in which they first "
        f"appear, source and target each in a vocabulary of {batch.src_vocab.size}."
        if batch.tgt_out is not None
        else f"Ids from 0 to {batch.src_vocab.size - 1}; PAD is {batch.pad_id}."
    )
show_code("The code that ran", text.tokenize, text.Batch.from_text, text._pad)
