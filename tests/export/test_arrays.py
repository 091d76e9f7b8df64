"""The trace as a file of arrays, opened with numpy."""

import io

import numpy as np

from explorer.exploration import explore
from explorer.export.arrays import trace_npz


def test_every_tensor_is_there_under_its_name() -> None:
    seen = explore(["a b", "c"], ["d", "e f g"], d_model=8, n_heads=2, n_layers=1)
    with np.load(io.BytesIO(trace_npz(seen.trace, seen.batch)), allow_pickle=False) as file:
        opened = dict(file)
    np.testing.assert_array_equal(
        opened["decoder.0.cross.weights"], seen.trace.decoder[0].cross.weights
    )
    np.testing.assert_array_equal(opened["logits"], seen.trace.logits)
    np.testing.assert_array_equal(opened["encoder.0.feed_forward_residual.out"], seen.trace.memory)
    assert opened["src_mask"].dtype == bool
    assert opened["src_labels"].tolist() == [["a", "b"], ["c", "PAD"]]
    np.testing.assert_array_equal(opened["tgt_in"], seen.batch.tgt_in)
