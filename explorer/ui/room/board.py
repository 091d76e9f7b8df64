"""Everybody trains with their own setting, and one board shows all curves, best first."""

from contextlib import suppress

import streamlit as st

from explorer.figures.theme import THEMES, Theme
from explorer.languages import numeral, tr
from explorer.rooms.board import Curve, Setting, ranked, read_curve, thinned
from explorer.rooms.member import Member
from explorer.rooms.room import Activity, Room, RoomError
from explorer.training.pool import Training
from explorer.ui.address import current_address, part_of_page
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.choices import choices
from explorer.ui.markdown import literal
from explorer.ui.page import heading
from explorer.ui.query import write_address
from explorer.ui.room.bar import ask_before
from explorer.ui.room.place import (
    CODE,
    change_room,
    hub,
    leads,
    redraw_on,
    request_full_rerun,
    room_on_show,
    set_message,
    this_member,
)
from explorer.ui.settings import Settings
from explorer.views.room import board_picture, setting_in_words
from explorer.weights.catalogue import WeightsGoneError

SHOWN = 20  # rows of the table
_SETTINGS = ("task", "longest", "steps", "lr", "schedule", "warmup", "batch")


def show_train_button(member: Member, room: Room) -> None:
    """The button that starts a training of the room, each person with their own setting."""
    st.button(
        tr("Let the room train"),
        icon=":material/model_training:",
        key="room_train",
        on_click=_let_train,
        args=(member, room.activities),
    )


def _let_train(member: Member, activities: int) -> None:
    with suppress(WeightsGoneError):  # the page chooses others, and says so
        params = current_address() | write_address(choices(), _SETTINGS)
        params.pop(CODE, None)
        change_room(member, lambda now: now.begin_once("training", after=activities, params=params))
    request_full_rerun()


def show_board(member: Member, room: Room, settings: Settings) -> None:
    """The board, as the teacher's window shows it to everybody."""
    activity = room.activity
    if activity is None:
        return
    heading(
        tr("Whose model learns best?"),
        tr(
            "Everybody trains with a setting of their own, on the page *Training*. Each curve is "
            "one training, best first; nobody's name is known."
        ),
    )
    if leads(member, room):
        ask_before(
            tr("End the training"),
            tr("The board goes, with everybody's curves."),
            tr("End it for everybody"),
            ":material/flag:",
            "room_train_end",
            _end_training,
            member,
            activity.number,
        )
    part_of_page(_draw)(member, activity, THEMES[settings.theme])


def _end_training(member: Member, number: int) -> None:
    change_room(member, lambda now: now.ended(number))
    request_full_rerun()


def report_training(training: Training | None) -> None:
    """Show this window's training on the room's board."""
    member, room = this_member(), room_on_show()
    if member is None:
        return
    member.curve = None if training is None else lambda: curve_of(training)
    activity = None if room is None else room.activity
    if training is not None and training.is_live and activity is not None:
        member.curve_number = activity.number  # a training that ended before has no board


def show_board_below(settings: Settings) -> None:
    """The board on the page of training, for those who train in a room."""
    member, room = this_member(), room_on_show()
    if member is None or room is None or room.activity is None:
        return
    if room.activity.kind == "training":
        st.subheader(tr("The room's board"), anchor=False)
        part_of_page(_draw)(member, room.activity, THEMES[settings.theme])


def curve_of(training: Training) -> Curve | None:
    """The curve of a training so far; None before its first step."""
    if not training.step:
        return None
    order = training.order
    config, chosen = order.config, order.training
    setting = Setting(
        task=order.task.name,
        steps=chosen.steps,
        rate=chosen.lr,
        batch=chosen.batch_size,
        d_model=config.d_model,
        heads=config.n_heads,
        encoder_layers=config.n_encoder_layers,
        decoder_layers=config.n_decoder_layers,
    )
    return Curve(
        setting=setting,
        step=training.step,
        steps=chosen.steps,
        accuracies=thinned(list(training.accuracies)),
        losses=thinned(list(enumerate(list(training.losses), start=1))),
    )


def _draw(member: Member, activity: Activity, theme: Theme) -> None:
    """All curves; redrawn alone when they grow."""
    redraw_on(activity.part)
    try:
        notes = hub().notes(member, activity.part)
    except RoomError as error:
        set_message(str(error))
        return
    read = ((person, read_curve(data)) for person, data in notes.items())
    order = ranked({person: curve for person, curve in read if curve is not None})
    if not order:
        st.markdown(tr("Nobody has begun yet."))
        return
    mine = next((at for at, (person, _) in enumerate(order) if person == member.person), None)
    live_plot(board_picture([curve for _, curve in order], mine, theme))
    rows = [
        # Translators: the head of a table; “right” is the share of sentences without a mistake
        [tr("rank"), tr("right"), tr("loss"), tr("step"), tr("setting")],
        ["---"] * 5,
        *(_row(at, curve, mine=at == mine) for at, (_, curve) in enumerate(order[:SHOWN])),
    ]
    with st.container(key="room_table"):
        st.markdown("\n".join(f"| {' | '.join(row)} |" for row in rows))


def _row(at: int, curve: Curve, *, mine: bool) -> list[str]:
    return [
        tr("{rank} (yours)", rank=at + 1) if mine else str(at + 1),
        tr("{percent:.0f}%", percent=100 * curve.accuracy),
        numeral(curve.loss, ".2f"),
        tr("{step} of {steps}", step=curve.step, steps=curve.steps),
        literal(setting_in_words(curve.setting)),
    ]
