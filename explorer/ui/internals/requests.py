"""Requests for runs that meet: nothing that somebody has done is lost, or taken back.

Undocumented, like all of `internals`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Lock
from typing import Any, Final
from weakref import WeakKeyDictionary

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.fragment import FragmentStorage
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.state.session_state import WStates

from explorer.ui import internals

_TRIES: Final = 20
# By what only the threads of one session have in common.
_beginning: Final = WeakKeyDictionary[FragmentStorage, Lock]()


def take_every_change() -> None:
    """Lose nothing of what somebody has changed, however close together the changes come.

    Three ways in which Streamlit does, and the page then shows something else than its controls:

    - Each look at the session's state may end a run that another one replaces, also the look before
      its callbacks. That loses a click, which no later request names again, and in a callback what
      has just been chosen: Streamlit goes on, and the next run sees no change. So the callbacks of
      a run are called in any case, and end first.
    - A run of everything begins in a thread of its own, and resets all clicks: also one that the
      run before has just taken, and whose callback it is about to call. So it waits for that.
    - What changes in two fragments in the same moment comes in one request, which names only the
      first. So everything is drawn if a widget has changed that the run would not draw.

    Public: none.
    """

    @internals.around(SafeSessionState, "on_script_will_rerun")
    def take(
        begin: Callable[..., None],
        session: SafeSessionState,
        fresh: WidgetStates | None,
        **more: Any,
    ) -> None:
        with _one_after_the_other(), _undisturbed(session):
            begin(session, fresh, **more)
            _draw_all_if_changed(session, fresh)


@contextmanager
def changes_together() -> Iterator[None]:
    """Changes of the session's state that belong together: no other run comes between them.

    It would end this one, and nobody would make those that are left. Nothing may be drawn in the
    block: that ends a run, too.
    """
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    session: SafeSessionState = internals.required(context, "session_state")
    internals.required(session, "_yield_callback")()  # ends the run if it is replaced already
    with _undisturbed(session):
        yield


@contextmanager
def _undisturbed(session: SafeSessionState) -> Iterator[None]:
    """In this block no look at the session ends the run."""
    end_if_replaced: Callable[[], None] = internals.required(session, "_yield_callback")
    object.__setattr__(session, "_yield_callback", lambda: None)
    try:
        yield
    finally:
        object.__setattr__(session, "_yield_callback", end_if_replaced)


@contextmanager
def _one_after_the_other() -> Iterator[None]:
    """In this block no other thread of the session begins a run, or ends one.

    Whoever waits here must hold nothing that a callback may wait for.
    """
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    with _beginning.setdefault(internals.required(context, "fragment_storage"), Lock()):
        yield


def _draw_all_if_changed(session: SafeSessionState, fresh: WidgetStates | None) -> None:
    """Ask for a run of everything if a widget has changed that this run would not draw.

    It stays on the page of this run: a callback must not turn the page.
    """
    context = get_script_run_ctx()
    parts = None if context is None else internals.required(context, "fragment_ids_this_run")
    if context is None or not parts:
        return
    state: Any = internals.required(session, "_state")
    reported = internals.required(state, "_new_widget_state")
    changed = [
        widget for widget in reported if internals.required(state, "_widget_changed")(widget)
    ]
    known = [internals.required(reported, "widget_metadata").get(widget) for widget in changed]
    storage = internals.required(context, "fragment_storage")
    parts = [part for part in parts if internals.required(storage, "contains")(part)]
    within = internals.required(storage, "has_ancestor_in")
    if all(
        about is None or about.fragment_id in parts or within(about.fragment_id, parts)
        for about in known
    ):
        return
    pressed = internals.required(state, "_filter_active_trigger_widget_states")(fresh)
    everything = internals.required(state, "_build_full_app_rerun")(context)
    asking: ScriptRequests = internals.required(context, "script_requests")
    everything = where_it_waits(asking, replace(everything, replay_trigger_states=pressed))
    asking.request_rerun(everything)


def where_it_waits(asking: ScriptRequests, everything: RerunData) -> RerunData:
    """A run of everything; if one waits already, on its page: somebody may have turned the page."""
    waiting: RerunData = internals.required(asking, "_rerun_data")
    is_waiting = internals.required(asking, "_state") == ScriptRequestType.RERUN
    if not is_waiting or waiting.fragment_id_queue:
        return everything
    return replace(
        everything,
        query_string=waiting.query_string,
        page_script_hash=waiting.page_script_hash,
        page_name=waiting.page_name,
        is_history_navigation=waiting.is_history_navigation,
    )


def is_asked_by_others(key: str) -> bool:
    """Whether only other parts of the page asked for this run than the one with this widget.

    `key` is the widget's. Public: none.
    """
    context = get_script_run_ctx()
    parts = None if context is None else internals.required(context, "fragment_ids_this_run")
    if context is None or not parts:
        return False
    state: Any = internals.required(internals.required(context, "session_state"), "_state")
    known = internals.required(internals.required(state, "_new_widget_state"), "widget_metadata")
    about = known.get(internals.required(state, "_get_widget_id")(key))
    return about is not None and about.fragment_id not in parts


def turn_pages_for_good() -> None:
    """Let no part of the page before bring it back, or clear the screen.

    A part asks for a run of its own, and names the page that the browser shows. If that comes while
    somebody turns the page, Streamlit makes one run of both requests, on the page before: a click
    on a link did nothing, nor did Back. If it comes a little later, the run of that part names the
    page before, and the browser drops all that it shows. Public: none.
    """

    @internals.around(ScriptRequests, "request_rerun")
    def ask_for_run(ask: Callable[..., bool], theirs: ScriptRequests, new: RerunData) -> bool:
        waiting: RerunData = internals.required(theirs, "_rerun_data")
        if new.fragment_id and internals.required(theirs, "_state") == ScriptRequestType.RERUN:
            new = replace(
                new,
                page_script_hash=waiting.page_script_hash,
                page_name=waiting.page_name,
                is_history_navigation=waiting.is_history_navigation,
            )
            if waiting.is_history_navigation:  # a run that it has cut short may have said another
                new = replace(new, query_string=waiting.query_string)
        return ask(theirs, new)

    @internals.around(ScriptRunner, "_run_script")
    def run_script(run: Callable[..., None], theirs: ScriptRunner, asked: RerunData) -> None:
        on_show = internals.required(theirs, "_pages_manager").current_page_script_hash
        if asked.fragment_id_queue and on_show:
            asked = replace(asked, page_script_hash=on_show)
        run(theirs, asked)


def let_timers_choose_nothing() -> None:
    """Take from a timer's request no values of widgets: nobody has chosen any.

    With each request the browser sends the values that it shows, which may be older than the
    session's. If a run gives a widget another value while a timer asks, Streamlit takes the value
    before for a choice: while a training was watched, a changed shape came back at once. What
    somebody chooses comes in a request of its own. Public: none.
    """

    @internals.around(ScriptRequests, "request_rerun")
    def ask_for_run(ask: Callable[..., bool], theirs: ScriptRequests, new: RerunData) -> bool:
        return ask(theirs, replace(new, widget_states=_chosen(new)))


def _chosen(asked: RerunData) -> WidgetStates | None:
    """What a request says of widgets; nothing if a timer asks, and nothing else with it."""
    is_timer = asked.is_auto_rerun and asked.fragment_id
    return None if is_timer else asked.widget_states


def leave_the_state_to_the_next_run() -> None:
    """Let a run that another one replaces change nothing more at its end.

    A run of everything has a thread of its own, and the one that it replaces ends beside it. At its
    end Streamlit resets all clicks: one that has just come was lost. The next run does the same at
    its beginning.

    Streamlit goes through the values in doing so. If one is added meanwhile, that fails
    ("dictionary changed size"), the thread is gone, and the page never hears that the run has
    ended. So it is tried again. Public: none.
    """

    @internals.around(SafeSessionState, "on_script_finished")
    def end_unless_replaced(end: Callable[..., None], *args: Any, **more: Any) -> None:
        context = get_script_run_ctx()
        if context is None:
            return end(*args, **more)
        asking: ScriptRequests = internals.required(context, "script_requests")
        # Nobody can replace it now.
        with _one_after_the_other(), internals.required(asking, "_lock"):
            if internals.required(asking, "_state") == ScriptRequestType.STOP:
                return None
            for _ in range(_TRIES):
                with suppress(RuntimeError):
                    return end(*args, **more)
            return end(*args, **more)


def go_through_values_as_they_are() -> None:
    """Let a run go through the widgets' values though the run that it replaces still adds one.

    Else the callbacks of a click fail, and it is lost. Public: none.
    """

    @internals.around(WStates, "__iter__")
    def as_they_are(_: Callable[..., Iterator[str]], values: WStates) -> Iterator[str]:
        return iter(tuple(values.states))


def take_over_what_waits() -> None:
    """Let a run begin only when all that the run before has drawn is on its way.

    And let it call the callbacks of what waits:

    - A run that a part asks for just when another one has ended gets a thread of its own, and from
      then on Streamlit drops what comes from the thread before: a page stayed empty, or went on
      showing the sentence before. The busier the server, the more is lost. So it waits.
    - A run of everything ends the thread before, and Streamlit drops what waits there: the click on
      a button, and with a page turn also what was chosen on the page before, since the new request
      does not name it. So it goes into the new run.

    Public: none.
    """
    begin: Callable[..., None] = internals.required(AppSession, "_create_scriptrunner")
    waiting: WeakKeyDictionary[AppSession, list[RerunData]] = WeakKeyDictionary()

    def ask_all(theirs: AppSession, requests: list[RerunData]) -> None:
        asked = _as_one(requests)
        runner: ScriptRunner | None = internals.required(theirs, "_scriptrunner")
        if runner is None:
            begin(theirs, asked)
        elif not runner.request_rerun(asked):  # it has ended, and is about to say so
            waiting[theirs] = [asked]

    @internals.around(AppSession, "request_rerun")
    def take_over(ask: Callable[..., None], theirs: AppSession, asked: ClientState | None) -> None:
        runner: ScriptRunner | None = internals.required(theirs, "_scriptrunner")
        if runner is not None and not (asked and asked.fragment_id):
            left = _take(internals.required(runner, "_requests"))
            waiting.setdefault(theirs, []).extend(left)
        ask(theirs, asked)

    @internals.around(AppSession, "_create_scriptrunner")
    def begin_in_turn(_: Callable[..., None], theirs: AppSession, asked: RerunData) -> None:
        ask_all(theirs, [*waiting.pop(theirs, ()), asked])

    @internals.around(AppSession, "_handle_scriptrunner_event_on_event_loop")
    def handle_and_begin(handle: Callable[..., None], theirs: AppSession, *heard: Any) -> None:
        handle(theirs, *heard)
        is_over = internals.required(theirs, "_state") == AppSessionState.SHUTDOWN_REQUESTED
        is_idle = internals.required(theirs, "_scriptrunner") is None and not is_over
        if is_idle and (left := waiting.pop(theirs, [])):
            ask_all(theirs, left)


def _take(asking: ScriptRequests) -> list[RerunData]:
    """The request that waits in a thread, if one does; then the thread ends."""
    with internals.required(asking, "_lock"):
        if internals.required(asking, "_state") != ScriptRequestType.RERUN:
            return []
        asking._state = ScriptRequestType.STOP
        return [internals.required(asking, "_rerun_data")]


def _as_one(requests: list[RerunData]) -> RerunData:
    """One request for all of these; of two values of a widget, the later one counts."""
    together, values = ScriptRequests(), dict[str, WidgetState]()
    for asked in requests:
        together.request_rerun(asked)
        if (chosen := _chosen(asked)) is not None:
            values |= {state.id: state for state in chosen.widgets}
    everything = together.on_scriptrunner_ready().rerun_data
    if everything.widget_states is None:
        return everything
    return replace(everything, widget_states=WidgetStates(widgets=values.values()))
