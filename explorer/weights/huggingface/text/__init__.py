"""Text → ids, as a pretrained model reads it."""
