"""What an address says: choices read from its parameters, and written back."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from explorer.languages import LANGUAGES, tr
from explorer.runtime.shares import SENTENCE
from explorer.ui.domains import Domain
from explorer.ui.parameters import (
    D_MODEL,
    LANGUAGE,
    LEVEL,
    LEVEL_BEFORE,
    PARAMETERS,
    QUESTION,
    QUESTIONS,
    TEXT_KEYS,
    TOPIC,
    TYPED_TARGET,
    UNTRAINED_NAME,
    WEIGHTS,
    WEIGHTS_BEFORE,
    WITH_TRANSLATOR,
    Parameter,
    Values,
)

_OF_SETS = {QUESTIONS.key, TOPIC.key, QUESTION.key}


def read_address(
    params: Mapping[str, str], shape_of_weights: Callable[[Values], Values | None] = lambda _: None
) -> tuple[dict[str, Any], list[str]]:
    """The choices in an address, and notes about those that are not possible.

    An address without weights means the usual ones. Only where it says a choice besides sentences,
    and none that came with the translator, it was written before there was one: since then the app
    names the weights, and whoever writes a link by hand says a sentence and no more.

    `shape_of_weights` gives the shape of the weights that the address names, if they have one.
    Undeclared parameters are ignored. One that names questions but no level was written before
    there were levels.
    """
    params = with_language(params)
    said = params.keys() & PARAMETERS.keys()
    if said and WEIGHTS.key not in said and not said & WITH_TRANSLATOR:
        params = {**params, WEIGHTS.key: WEIGHTS_BEFORE}
    if said & _OF_SETS and LEVEL.key not in said:
        params = {**params, LEVEL.key: LEVEL_BEFORE}
    chosen: dict[str, Any] = {key: params[key][:SENTENCE] for key in TEXT_KEYS if key in params}
    notes: list[str] = []
    if any(len(params[key]) > SENTENCE for key in TEXT_KEYS if key in params):
        notes.append(
            tr(
                "A sentence may have up to {most:,} characters, and one in the link has more: only "
                "its beginning is read.",
                most=SENTENCE,
            )
        )
    values: dict[str, Any] = {}
    shape: Values = {}
    for key, parameter in PARAMETERS.items():
        values[key] = parameter.usual(values)
        if key == D_MODEL.key:
            shape = shape_of_weights(values) or {}
        if key in shape:
            values[key] = shape[key]
        if key not in params:
            continue
        domain, text = parameter.within(values), params[key]
        value = domain.read(text)
        if value is not None:
            chosen[key] = values[key] = value
        if value is None or not domain.says(text, value):
            notes.append(_note(parameter, domain, text, value))
    answers = values[WEIGHTS.key] != UNTRAINED_NAME
    if answers and params.get("tgt") and TYPED_TARGET.key not in chosen:
        chosen[TYPED_TARGET.key] = True  # the link is meant to show this target
    return chosen, notes


def write_address(
    chosen: Values, keys: Iterable[str], texts: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The address of these choices, without those at their usual values, and of some sentences.

    An address that says anything names the weights, and one that names questions their level: see
    `read_address`.
    """
    values: dict[str, Any] = {}
    said: dict[str, str] = {}
    wanted = set(keys)
    for key, parameter in PARAMETERS.items():
        usual = parameter.usual(values)
        values[key] = usual if chosen.get(key) is None else chosen[key]
        if key in wanted and values[key] is not None and values[key] != usual:
            said[key] = parameter.within(values).write(values[key])
    if said.keys() & _OF_SETS:
        said[LEVEL.key] = values[LEVEL.key]
    said |= texts or {}
    return {WEIGHTS.key: values[WEIGHTS.key], **said} if said.keys() - {LANGUAGE.key} else said


def with_language(params: Mapping[str, str]) -> Mapping[str, str]:
    """The parameters, with the language under its name if it was written out, as people do."""
    written_out = params.get("language")
    if written_out not in LANGUAGES or LANGUAGE.key in params:
        return params
    return {**params, LANGUAGE.key: written_out}


def _note(parameter: Parameter, domain: Domain, text: str, value: Any) -> str:
    """What is used in place of a text that is not possible."""
    said = {"asked": f"{parameter.key}={_short(text)}", "possible": domain.possible}
    if value is None:
        return tr(
            "The link's {asked} is not possible ({possible}): its usual value is used.", **said
        )
    if parameter.limited_by_page:
        return tr(
            "The link's {asked} is not possible ({possible}): the nearest one is used.", **said
        )
    said["used"] = domain.write(value)
    return tr("The link's {asked} is not possible ({possible}): {used} is used.", **said)


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"
