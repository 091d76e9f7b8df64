"""What may each word look at? Padding, causal, target and cross masks."""

from explorer import masks
from explorer.figures.theme import THEMES
from explorer.ui.frame import show
from explorer.ui.masks.panels import (
    show_additive_mask,
    show_all_target_masks,
    show_cross_mask,
    show_mistakes,
    show_source_mask,
    show_target_mask,
)
from explorer.ui.page import heading, lacks, show_code
from explorer.ui.running import require_words
from explorer.ui.settings import Settings


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "What may each word look at?",
        "A source word sees every word that is not PAD; a target word also never sees the future.",
    )
    batch = settings.batch()
    row = min(settings.row, len(batch.src) - 1)
    require_words(batch, row)
    theme = THEMES[settings.theme]
    config = settings.config
    if config.has_decoder:
        codes = masks.target_reasons(
            batch.tgt_in, batch.pad_id, starts_with_pad=config.starts_with_pad
        ).numpy()
        show_target_mask(settings, batch, row, codes[row], theme)
        show_all_target_masks(batch, row, codes, theme)
    else:
        lacks(settings, "target, so every token may look at every token that is not PAD")
    if config.has_encoder:
        show_source_mask(batch, theme)
    else:
        lacks(settings, "source and no cross-attention")
    if config.has_encoder and config.has_decoder:
        show_cross_mask(batch, row, theme)
    if config.has_decoder and not config.starts_with_pad:
        show_mistakes(settings, batch, row, theme)
    show_additive_mask(theme)
    show_code(
        "The code that ran",
        masks.padding_mask,
        masks.causal_mask,
        masks.target_mask,
        masks.target_reasons,
        masks.additive,
    )


show(show_page)
