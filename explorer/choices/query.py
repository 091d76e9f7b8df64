"""Reads the choices from the parameters of an address, and writes them back."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from explorer.choices.domains import Domain
from explorer.choices.pages import NO_PAGE
from explorer.choices.parameters import (
    KNOWN_NAMES,
    PARAMETERS,
    TEXT_KEYS,
    UNTRAINED_NAME,
    Chosen,
    Frame,
    Parameter,
)
from explorer.choices.sources import shape_of_weights
from explorer.languages import LANGUAGES, tr
from explorer.runtime.shares import SENTENCE_LENGTH

VERSION: Final = {"v": "2"}  # of the usual values: an address says only what differs from them


def read_address(params: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The choices in an address, and notes about those that are not possible.

    Undeclared parameters are ignored.
    """
    params = with_language({key: in_one_line(text) for key, text in params.items()})
    texts = {key: params[key] for key in TEXT_KEYS if key in params}
    chosen: dict[str, Any] = {key: text[:SENTENCE_LENGTH] for key, text in texts.items()}
    notes: list[str] = []
    if any(len(text) > SENTENCE_LENGTH for text in texts.values()):
        notes.append(
            tr(
                "A sentence may have up to {most:,} characters, and one in the link has more: only "
                "its beginning is read.",
                most=SENTENCE_LENGTH,
            )
        )
    known: dict[str, Any] = {}  # what decides which values are possible
    for key, parameter in PARAMETERS.items():
        if parameter is Frame.d_model:
            known |= shape_of_weights(known) or {}
        if key not in params:
            continue
        domain, text = parameter.within(known), params[key]
        value = domain.read(text)
        if value is not None:
            chosen[key] = known[key] = value
        if value is None or not domain.stands_for(text, value):
            notes.append(_note(parameter, domain, text, value))
    answers = Frame.weights.of(chosen) != UNTRAINED_NAME
    if answers and params.get("tgt") and Frame.typed_target.key not in chosen:
        chosen[Frame.typed_target.key] = True  # the link is meant to show this target
    if chosen.keys() - {Frame.lang.key} and not VERSION.items() <= params.items():
        chosen = _usual_before(chosen) | chosen
    if name := params.get(NO_PAGE):
        notes.append(
            tr(
                "There is no page “{name}”: this is Home. The menu leads to all pages.",
                name=_short(name),
            )
        )
    return chosen, notes


def write_address(
    chosen: Chosen, keys: Iterable[str], texts: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The address of these choices, without those at their usual values, and of some sentences.

    An address that says anything names the weights: another server may open with others. And it
    has a version: one without it was written when other values were usual.
    """
    address: dict[str, str] = {}
    wanted = set(keys)
    for key, parameter in PARAMETERS.items():
        value = chosen.get(key) if key in wanted else None
        if value is not None and value != parameter.usual(chosen):
            address[key] = parameter.within(chosen).write(value)
    address |= texts or {}
    weights = {Frame.weights.key: Frame.weights.of(chosen)}
    return weights | address | VERSION if address.keys() - {Frame.lang.key} else address


def _usual_before(chosen: Chosen) -> dict[str, Any]:
    """The usual values in addresses without a version."""
    two = Frame.weights.of(chosen) in KNOWN_NAMES
    return {Frame.pairs.key: 2 if two else 1, Frame.hide_pad.key: False}


def in_one_line(text: str) -> str:
    """A text as the field shows it: browsers leave line breaks out of a field of one line.

    Without them the words at both ends would be seen as one; a space stands between them instead.
    """
    return re.sub(r"\r\n?|\n", " ", text)


def with_language(params: Mapping[str, str]) -> Mapping[str, str]:
    """The parameters, with the language under its name if it was written out, as people do."""
    written_out = params.get("language")
    if written_out not in LANGUAGES or Frame.lang.key in params:
        return params
    return {**params, Frame.lang.key: written_out}


def _note(parameter: Parameter[Any], domain: Domain, text: str, value: Any) -> str:
    """A note on the value that replaces an impossible text."""
    words = {"asked": f"{parameter.key}={_short(text)}", "possible": domain.possible}
    if value is None or parameter.limited_by_page:  # only the page knows which value it can use
        return tr(
            "The link's {asked} is not possible ({possible}): another value is used.", **words
        )
    words["used"] = domain.write(value)
    return tr("The link's {asked} is not possible ({possible}): {used} is used.", **words)


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"
