"""The choice of weights, and how it follows a change of the model's shape."""

from typing import Any, Final

from explorer.choices.examples import ANY_WORDS, world_of
from explorer.choices.parameters import (
    HERE,
    KNOWN_NAMES,
    LOADED,
    UNTRAINED_NAME,
    Frame,
    Parameter,
    your_models,
)
from explorer.choices.sources import SHAPE, shape_of, shape_of_weights, source_of
from explorer.config import ModelConfig
from explorer.languages import mark, sentences, tr
from explorer.tasks.tasks import TASKS
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choices, choose, choose_by_key, chosen, shown_before, value
from explorer.ui.controls.sentences import exchange_sentences, keep_answers, world_on_show
from explorer.ui.frame.session import memory, session
from explorer.weights import loaded_here, trained_here
from explorer.weights.catalogue import (
    SHIPPED_NAMES,
    SMALL_TASKS,
    TRANSLATOR,
    Pretrained,
    Shipped,
    Source,
    TrainedHere,
    WeightsGoneError,
    trained_config,
    writes,
)
from explorer.weights.checkpoints import Checkpoint
from explorer.weights.huggingface.shelf import model_names, shown_name
from explorer.weights.opening import opening_weights

LEFT: Final = "left_weights"  # the trained weights in use before a change of shape
_IN_WORDS: Final = {
    TRANSLATOR: mark("translator"),
    # Translators: weights that were trained, or loaded, in this session.
    HERE: mark("trained here"),
    LOADED: mark("loaded here"),
    UNTRAINED_NAME: mark("untrained"),
}


def source_on_show() -> Source:
    """The source of the model on show; `settle_weights` has replaced it if it was gone."""
    return source_of(choices())


def is_too_large_to_watch() -> bool:
    """Whether the model on show was trained elsewhere, for longer than anybody watches."""
    source = source_on_show()
    return source == Shipped(TRANSLATOR) or isinstance(source, Pretrained)


def trains_another() -> bool:
    """Whether the page shows a model that it trains, and that is not the one on other pages."""
    is_training = session().page == "training"
    return is_training and not isinstance(source_on_show(), TrainedHere)


def settle_weights() -> str:
    """Make the choices name a model that exists; returns a note if the weights are gone.

    An address may ask for trained weights in another shape, or for weights that the server has
    forgotten.
    """
    name, note = value(Frame.weights), ""
    try:
        found = _usable(source_on_show())
    except WeightsGoneError as gone:
        note = _replace_gone(name, gone)
        name, found = value(Frame.weights), config_on_show()
    if isinstance(source_on_show(), Pretrained):
        for parameter in (*SHAPE, Frame.tokens):  # nobody can change them
            choose(parameter, None)
    elif found is not None:
        shape = shape_of(found)
        asked = {p.key: chosen(p) for p in SHAPE if chosen(p) is not None}
        level, its_own = value(Frame.tokens), Frame.tokens.usual(choices())
        if any(shape[key] != wanted for key, wanted in asked.items()) or level != its_own:
            keep_shape(name)
            for key, wanted in asked.items():
                choose_by_key(key, wanted)
            choose(Frame.weights, UNTRAINED_NAME)
            choose(Frame.tokens, level)
            memory()[LEFT] = name
        else:
            for parameter in SHAPE:
                choose(parameter, None)
    return note


def _replace_gone(name: str, gone: WeightsGoneError) -> str:
    """Show the model that everybody begins with in place of weights that are gone; says so."""
    token = Frame.model if name == LOADED else Frame.run
    for parameter in (token, Frame.weights, Frame.tokens):
        choose(parameter, None)
    if opening_weights() not in (*SHIPPED_NAMES, *model_names()):
        choose(Frame.weights, TRANSLATOR)
    why = f"{str(gone)[:1].upper()}{str(gone)[1:]}"
    if name == HERE:
        why = tr(
            "The weights that were trained here are gone: the server kept them only for a while."
        )
    now = tr("The model on show is “{name}”.", name=weights_in_words(value(Frame.weights)))
    return sentences(why, now)


def _usable(source: Source) -> ModelConfig | None:
    """The shape of a source, once all that its pages need can be read."""
    writes(source)
    return trained_config(source)


def config_on_show() -> ModelConfig | None:
    """The shape of the trained weights on show; None if the shape is chosen."""
    return trained_config(source_on_show())


def weights_chosen() -> None:
    """Follow the choice of other weights in the menu."""
    before, now = shown_before().get(Frame.weights.key, opening_weights()), value(Frame.weights)
    memory().pop(LEFT, None)
    if now == UNTRAINED_NAME:
        keep_shape(before)
        # It reads the same sentences.
        choose(Frame.tokens, Frame.tokens.usual({Frame.weights.key: before}))
        keep_answers()
    else:
        show_weights(now)


def shape_changed(parameter: Parameter[Any]) -> None:
    """Follow a change of the shape: trained weights make way for untrained ones.

    The sentences and the answers stay the same.
    """
    before = value(Frame.weights)
    if before == UNTRAINED_NAME:
        return
    wanted = chosen(parameter)
    keep_shape(before)
    choose(parameter, wanted)
    leave_trained(before)


def leave_trained(before: str) -> None:
    """Replace trained weights by an untrained model; the visitor can go back to them."""
    level = value(Frame.tokens)
    choose(Frame.weights, UNTRAINED_NAME)
    choose(Frame.tokens, level)  # it reads the same sentences
    memory()[LEFT] = before
    keep_answers()


def keep_shape(name: str) -> None:
    """Make the shape of these weights the chosen shape, if the controls can show it."""
    if name not in KNOWN_NAMES:
        return
    shape = shape_of_weights({Frame.weights.key: name, Frame.run.key: chosen(Frame.run)})
    for key, part in (shape or {}).items():
        choose_by_key(key, part)


def show_weights(name: str) -> None:
    """Show trained weights in their own shape, with sentences that they can read."""
    _choose_with_own_shape(name)
    if memory().get(LEFT) != name:  # else their sentences are still on show
        exchange_sentences(_world(name))
    memory().pop(LEFT, None)


def offer_translator() -> None:
    """A button that leads from weights that were trained here to the translator."""
    button(
        tr("Back to the translator"),
        icon=":material/undo:",
        key="back_to_translator",
        on_click=show_weights,
        args=(TRANSLATOR,),
    )


def show_trained_here(token: str) -> None:
    """Show weights that have just been trained or loaded; the sentences stay."""
    choose(Frame.run, token)
    _choose_with_own_shape(HERE)
    memory().pop(LEFT, None)


def _choose_with_own_shape(name: str) -> None:
    choose(Frame.weights, name)
    for parameter in (*SHAPE, Frame.tokens):
        choose(parameter, None)


def show_loaded_here(token: str) -> None:
    """Show a pretrained model that has just been loaded, with sentences for it."""
    choose(Frame.model, token)
    show_weights(LOADED)


def show_in_place_of(forgotten: Checkpoint) -> None:
    """Replace weights that will be forgotten: by shipped ones of the same task and shape, if there
    are any, or by untrained ones of their shape."""
    name, shape = forgotten.task.name, shape_of(forgotten.model.config)
    if name in SHIPPED_NAMES and shape == shape_of_weights({Frame.weights.key: name}):
        show_weights(name)
    else:
        keep_shape(HERE)
        leave_trained(HERE)
        memory().pop(LEFT, None)


def can_be_chosen() -> list[str]:
    """The names in the menu; weights trained or loaded here are offered only if there are any."""
    here = [HERE] if trained_here.find(chosen(Frame.run) or "") is not None else []
    loaded = [LOADED] if loaded_here.find(chosen(Frame.model) or "") is not None else []
    return [*SHIPPED_NAMES, *your_models(), *loaded, *here, UNTRAINED_NAME]


def weights_in_words(name: str) -> str:
    """The name of the weights."""
    if name in SMALL_TASKS:
        return tr(name)  # marked where the tasks are
    return tr(_IN_WORDS[name]) if name in _IN_WORDS else shown_name(name)


def entry_in_menu(name: str) -> str:
    """The name of the weights in the menu, and what kind they are of."""
    in_words = weights_in_words(name)
    if name in (HERE, UNTRAINED_NAME):
        return in_words
    if name == TRANSLATOR:
        return tr("{name}, English → German", name=in_words)
    if name in SMALL_TASKS:
        return tr("{name} · small task", name=in_words)
    return tr("{name} · your model", name=in_words)


def left_weights() -> str | None:
    """The trained weights in use before a change of shape, if they are still there."""
    left: str | None = memory().get(LEFT)
    return left if left in can_be_chosen() else None


def _world(name: str) -> str:
    if name != HERE:
        return world_of(name)
    found: Checkpoint | None = trained_here.find(chosen(Frame.run) or "")
    if found is None or found.task.name not in TASKS:
        return world_on_show() if found is not None else ANY_WORDS
    return world_of(found.task.name)
