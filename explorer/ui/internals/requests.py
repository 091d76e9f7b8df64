"""Concurrent requests for runs: nothing that a person has done is lost or undone.

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
# The threads of one session share only this storage.
_locks: Final = WeakKeyDictionary[FragmentStorage, Lock]()


def keep_every_change() -> None:
    """Keep every change that a person makes, however close together the changes come.

    Streamlit loses changes in three ways, and the page then differs from its controls:

    - Each read of the session's state may end a run that is being replaced, even before its
      callbacks. A click is then lost, since no later request names it; so is a value that was
      chosen in a callback. So a run's callbacks are always called, and end first.
    - A full run starts in a new thread and resets all clicks, also one whose callback the run
      before is about to call. So it waits for that run's callbacks.
    - Changes in two fragments at the same moment arrive in one request, which names only the first
      fragment. So everything is redrawn if a widget outside of it has changed.

    Public: none.
    """

    @internals.around(SafeSessionState, "on_script_will_rerun")
    def call_callbacks(
        begin: Callable[..., None],
        session: SafeSessionState,
        states: WidgetStates | None,
        **more: Any,
    ) -> None:
        with _one_at_a_time(), _uninterrupted(session):
            begin(session, states, **more)
            _redraw_all_if_needed(session, states)


@contextmanager
def changes_together() -> Iterator[None]:
    """Make changes of the session's state that belong together: no other run interrupts them.

    A run that interrupted them would leave the rest undone. Draw nothing in this block: drawing can
    end the run, too.
    """
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    session: SafeSessionState = internals.required(context, "session_state")
    internals.required(session, "_yield_callback")()  # ends the run if it is already replaced
    with _uninterrupted(session):
        yield


@contextmanager
def _uninterrupted(session: SafeSessionState) -> Iterator[None]:
    """In this block, reading the session's state does not end the run."""
    end_if_replaced: Callable[[], None] = internals.required(session, "_yield_callback")
    object.__setattr__(session, "_yield_callback", lambda: None)
    try:
        yield
    finally:
        object.__setattr__(session, "_yield_callback", end_if_replaced)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """In this block, no other thread of the session begins or ends a run.

    A caller must not hold a lock that a callback may need.
    """
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    with _locks.setdefault(internals.required(context, "fragment_storage"), Lock()):
        yield


def _redraw_all_if_needed(session: SafeSessionState, states: WidgetStates | None) -> None:
    """Request a full run if a widget has changed that this run would not redraw.

    The full run is of this run's page: a callback must not turn the page.
    """
    context = get_script_run_ctx()
    parts = None if context is None else internals.required(context, "fragment_ids_this_run")
    if context is None or not parts:
        return
    state: Any = internals.required(session, "_state")
    reported = internals.required(state, "_new_widget_state")
    known = internals.required(reported, "widget_metadata")
    is_changed = internals.required(state, "_widget_changed")
    changed = [known.get(widget) for widget in reported if is_changed(widget)]
    storage = internals.required(context, "fragment_storage")
    parts = [part for part in parts if internals.required(storage, "contains")(part)]
    is_inside = internals.required(storage, "has_ancestor_in")
    if all(
        widget is None or widget.fragment_id in parts or is_inside(widget.fragment_id, parts)
        for widget in changed
    ):
        return
    clicks = internals.required(state, "_filter_active_trigger_widget_states")(states)
    full_run = internals.required(state, "_build_full_app_rerun")(context)
    requests: ScriptRequests = internals.required(context, "script_requests")
    full_run = keep_waiting_page(requests, replace(full_run, replay_trigger_states=clicks))
    requests.request_rerun(full_run)


def keep_waiting_page(requests: ScriptRequests, full_run: RerunData) -> RerunData:
    """The full run, on the page of the full run that is waiting, if any: it may turn the page."""
    waiting: RerunData = internals.required(requests, "_rerun_data")
    is_waiting = internals.required(requests, "_state") == ScriptRequestType.RERUN
    if not is_waiting or waiting.fragment_id_queue:
        return full_run
    return replace(_on_page_of(waiting, full_run), query_string=waiting.query_string)


def _on_page_of(waiting: RerunData, request: RerunData) -> RerunData:
    return replace(
        request,
        page_script_hash=waiting.page_script_hash,
        page_name=waiting.page_name,
        is_history_navigation=waiting.is_history_navigation,
    )


def is_requested_elsewhere(key: str) -> bool:
    """Whether only other parts of the page requested this run than the part of this widget.

    `key` is the widget's key. Public: none.
    """
    context = get_script_run_ctx()
    parts = None if context is None else internals.required(context, "fragment_ids_this_run")
    if context is None or not parts:
        return False
    state: Any = internals.required(internals.required(context, "session_state"), "_state")
    known = internals.required(internals.required(state, "_new_widget_state"), "widget_metadata")
    widget = known.get(internals.required(state, "_get_widget_id")(key))
    return widget is not None and widget.fragment_id not in parts


def keep_page_turns() -> None:
    """Prevent a part of the previous page from bringing that page back, or clearing the screen.

    A part requests a run of its own, and names the page that the browser shows. If the request
    arrives during a page turn, Streamlit merges both into one run of the previous page: a click on
    a link, or Back, has no effect. If it arrives a little later, the part's run names the previous
    page, and the browser clears the screen. Public: none.
    """

    @internals.around(ScriptRequests, "request_rerun")
    def add_request(add: Callable[..., bool], requests: ScriptRequests, new: RerunData) -> bool:
        waiting: RerunData = internals.required(requests, "_rerun_data")
        if new.fragment_id and internals.required(requests, "_state") == ScriptRequestType.RERUN:
            new = _on_page_of(waiting, new)
            if not waiting.fragment_id_queue:  # the address of that page, not of the one before
                new = replace(new, query_string=waiting.query_string)
        return add(requests, new)

    @internals.around(ScriptRunner, "_run_script")
    def run_script(run: Callable[..., None], runner: ScriptRunner, request: RerunData) -> None:
        on_show = internals.required(runner, "_pages_manager").current_page_script_hash
        if request.fragment_id_queue and on_show:
            request = replace(request, page_script_hash=on_show)
        run(runner, request)


def ignore_values_from_timers() -> None:
    """Ignore the widget values in a timer's request: nobody has chosen them.

    With each request, the browser sends the values that it shows, which may be older than the
    session's. If a run changes a widget's value while a timer sends a request, Streamlit takes the
    old value for a choice: while a training was watched, a changed shape changed back at once. A
    person's choice comes in a request of its own. Public: none.
    """

    @internals.around(ScriptRequests, "request_rerun")
    def add_request(add: Callable[..., bool], requests: ScriptRequests, new: RerunData) -> bool:
        return add(requests, replace(new, widget_states=_chosen(new)))


def _chosen(request: RerunData) -> WidgetStates | None:
    """The widget values of a request; None if only a timer has sent it."""
    is_timer = request.is_auto_rerun and request.fragment_id
    return None if is_timer else request.widget_states


def skip_end_of_replaced_runs() -> None:
    """Do not let a run that is being replaced change the state at its end.

    A full run has a thread of its own, and the run that it replaces ends beside it. At its end,
    Streamlit resets all clicks, also one that has just arrived. The next run resets them at its
    beginning anyway.

    The reset goes through all values. If one is added meanwhile, it fails ("dictionary changed
    size"), the thread dies, and the page never hears that the run has ended. So it is tried again.
    Public: none.
    """

    @internals.around(SafeSessionState, "on_script_finished")
    def end_unless_replaced(end: Callable[..., None], *args: Any, **more: Any) -> None:
        context = get_script_run_ctx()
        if context is None:
            return end(*args, **more)
        requests: ScriptRequests = internals.required(context, "script_requests")
        # With its lock held, no request can replace this run.
        with _one_at_a_time(), internals.required(requests, "_lock"):
            if internals.required(requests, "_state") == ScriptRequestType.STOP:
                return None
            for _ in range(_TRIES):
                with suppress(RuntimeError):
                    return end(*args, **more)
            return end(*args, **more)


def iterate_over_copied_values() -> None:
    """Iterate over a copy of the widgets' values, since a replaced run may still add one.

    Otherwise the callbacks of a click fail, and the click is lost. Public: none.
    """

    @internals.around(WStates, "__iter__")
    def copied(_: Callable[..., Iterator[str]], values: WStates) -> Iterator[str]:
        return iter(tuple(values.states))


def take_over_waiting_requests() -> None:
    """Start a run only after the output of the run before is on its way, and lose no request.

    - A part's run that is requested just when another run has ended gets a new thread, and
      Streamlit then drops the old thread's output: a page stayed empty, or kept the old sentence.
      The busier the server, the more is lost. So the new run waits.
    - A full run ends the thread before, and Streamlit drops the request that waits there: a click,
      or, with a page turn, a choice on the previous page. So the new run includes it.

    Public: none.
    """
    begin: Callable[..., None] = internals.required(AppSession, "_create_scriptrunner")
    waiting: WeakKeyDictionary[AppSession, list[RerunData]] = WeakKeyDictionary()

    def run_all(session: AppSession, requests: list[RerunData]) -> None:
        request = _merged(requests)
        runner: ScriptRunner | None = internals.required(session, "_scriptrunner")
        if runner is None:
            begin(session, request)
        elif not runner.request_rerun(request):  # it has ended, and will soon report that
            waiting[session] = [request]

    @internals.around(AppSession, "request_rerun")
    def take_over(add: Callable[..., None], session: AppSession, new: ClientState | None) -> None:
        runner: ScriptRunner | None = internals.required(session, "_scriptrunner")
        if runner is not None and not (new and new.fragment_id):
            left = _take(internals.required(runner, "_requests"))
            waiting.setdefault(session, []).extend(left)
        add(session, new)

    @internals.around(AppSession, "_create_scriptrunner")
    def begin_in_turn(_: Callable[..., None], session: AppSession, new: RerunData) -> None:
        run_all(session, [*waiting.pop(session, ()), new])

    @internals.around(AppSession, "_handle_scriptrunner_event_on_event_loop")
    def handle_and_begin(handle: Callable[..., None], session: AppSession, *event: Any) -> None:
        handle(session, *event)
        is_over = internals.required(session, "_state") == AppSessionState.SHUTDOWN_REQUESTED
        is_idle = internals.required(session, "_scriptrunner") is None and not is_over
        if is_idle and (left := waiting.pop(session, [])):
            run_all(session, left)


def _take(requests: ScriptRequests) -> list[RerunData]:
    """Take the request that waits in a thread, if there is one, and stop the thread."""
    with internals.required(requests, "_lock"):
        if internals.required(requests, "_state") != ScriptRequestType.RERUN:
            return []
        requests._state = ScriptRequestType.STOP
        return [internals.required(requests, "_rerun_data")]


def _merged(requests: list[RerunData]) -> RerunData:
    """One request for all of these; the last value of each widget counts."""
    queue, values = ScriptRequests(), dict[str, WidgetState]()
    for request in requests:
        queue.request_rerun(request)
        if (chosen := _chosen(request)) is not None:
            values |= {state.id: state for state in chosen.widgets}
    merged = queue.on_scriptrunner_ready().rerun_data
    if merged.widget_states is None:
        return merged
    return replace(merged, widget_states=WidgetStates(widgets=values.values()))
