"""What a browser and the server of Streamlit say to each other: its messages, and their limits.

None of this is documented. Whatever else of the tests and benchmarks needs it takes it from here.
"""

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.state.query_params import (
    CLIENT_STATE_QUERY_STRING_MAX_LENGTH as LONGEST_ADDRESS,
)

__all__ = [
    "LONGEST_ADDRESS",
    "BackMsg",
    "Block",
    "ClientState",
    "ForwardMsg",
    "RerunData",
    "RerunException",
    "WidgetState",
    "get_script_run_ctx",
]
