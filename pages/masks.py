"""What may each word look at? Padding, causal, target and cross masks."""

from explorer import masks
from explorer.choices.parameters import Masks
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.ui.controls.choices import chosen
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, say_what_is_missing, show_code
from explorer.ui.frame.running import require_words
from explorer.ui.frame.stage import drawer
from explorer.ui.masks.panels import (
    show_additive_mask,
    show_masks,
    show_mistake,
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
    say_what_is_missing(settings)
    drawer(tr("All masks of the batch"), "all_masks", show_masks, config, batch, row, is_large=True)
    if config.has_decoder:
        drawer(
            tr("Two mistakes seen in tutorials"),
            "mistakes",
            show_mistake,
            settings,
            batch,
            row,
            by_itself=chosen(Masks.rule) is not None,
            is_large=True,
        )
    label = tr("The mask as numbers: 0 and −∞ added to the scores")
    drawer(label, "additive", show_additive_mask, is_large=True)
    show_code(
        masks.padding_mask,
        masks.causal_mask,
        masks.target_mask,
        masks.target_reasons,
        masks.additive,
    )
    ask_me(settings, "masks")


show(show_page)
