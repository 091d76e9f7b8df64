"""Pretrained models in the layout of Hugging Face."""
