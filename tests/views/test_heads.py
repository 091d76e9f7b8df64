"""The weights of all heads are sent as one byte each."""

import numpy as np

from explorer.views.heads import as_bytes


def test_only_what_the_mask_hides_is_sent_as_0() -> None:
    """A weight may be 0, or too small for a byte, without being masked."""
    may_attend = np.array([[True, False, True], [False, True, True]])
    weights = np.array([[[0.0, 0.0, 0.5], [0.0, 0.1, 0.0]]], dtype=np.float32)
    assert as_bytes(weights, may_attend, 1.0).tolist() == [[[1, 0, 128], [0, 26, 1]]]
    assert as_bytes(weights, may_attend, 0.5).tolist() == [[[1, 0, 255], [0, 52, 1]]]
