"""The families of pretrained models: for each, its config and its tensors in our words."""
