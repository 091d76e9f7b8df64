"""Who looks at whom? Every head of every attention, for the sentences above."""

from explorer.analysis.attention import ATTENDS
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.ui.attention.all_heads import show_all_heads
from explorer.ui.attention.panels import (
    choose_colours,
    chosen_cell,
    has_own_range,
    say_in_words,
    show_code_and_checks,
    show_formula,
    show_links,
    show_weights,
)
from explorer.ui.components.heads_view import head_lines, heads_map
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.attention import kind_on_show, look_on_show
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, say_what_is_missing
from explorer.ui.frame.running import run
from explorer.ui.frame.stage import drawer, stage
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.why.parts import offer_score
from explorer.views.attention import Choices, one_head
from explorer.views.heads import heads_picture


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(tr("Who looks at whom?"), tr(ATTENDS[kind_on_show(settings)]))
    say_what_is_missing(settings)
    ran = run(settings)
    kind, layer, head = look_on_show(settings)
    attention = ran.attention(kind, layer)
    view = Choices(kind, layer, head, own_range=has_own_range(attention, head))
    cell = chosen_cell(attention, head)
    where, what, words = stage("where", "what", "words")
    every = heads_picture(ran, kind, layer, head, own_range=view.own_range)
    with what:
        live_plot(one_head(attention, view, cell=cell))
    with where:
        heads_map(every)
    with words:
        say_in_words(settings, ran, attention, head, cell)
        show_links(view, attention)
    drawer(tr("As lines"), "lines", head_lines, every)
    drawer(tr("Colours"), "colours", choose_colours, settings, view)
    drawer(tr("The formula"), "formula", show_formula, settings.config)
    label = tr("The code that runs, compared with torch.nn")
    drawer(label, "code", show_code_and_checks, settings, ran, attention)
    label = tr("The numbers behind head {head}", head=head + 1)
    drawer(label, "numbers", show_weights, attention, head)
    label = tr("The heads of this attention")
    drawer(label, "heads", show_all_heads, settings, ran, every, is_large=True)
    offer_score(settings, ran, attention, head, cell)
    ask_me(settings, "attention")


show(show_page)
