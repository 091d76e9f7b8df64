"""What may each word look at? Padding, causal, target and cross masks."""

from explorer import masks
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, show_code, show_missing
from explorer.ui.frame.running import require_words
from explorer.ui.masks.panels import (
    show_additive_mask,
    show_all_masks,
    show_mistakes,
    show_one_mask,
)
from explorer.ui.predict.ask_me import ask_me


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("What may each word look at?"),
        tr(
            "A source word sees every source word; a target word sees every source word and the "
            "target words up to itself. PAD is hidden from all of them."
        ),
    )
    batch, row = settings.batch(), settings.row
    require_words(batch, row)
    config = settings.config
    show_one_mask(settings, batch, row)
    if not (config.has_encoder and config.has_decoder):
        show_missing(settings)
    show_all_masks(settings, batch, row)
    if config.has_decoder:
        show_mistakes(settings, batch, row)
    show_additive_mask()
    show_code(
        tr("The code that ran"),
        masks.padding_mask,
        masks.causal_mask,
        masks.target_mask,
        masks.target_reasons,
        masks.additive,
    )
    ask_me(settings, "masks")


show(show_page)
