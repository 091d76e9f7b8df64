"""The affine map x Wᵀ + b of `torch.nn`, made at once where only its shape is wanted."""

from torch import nn


class Linear(nn.Linear):
    """`nn.Linear`, without the long way torch goes to draw nothing on the device "meta"."""

    def reset_parameters(self) -> None:
        """Draw the first weights, as `nn.Linear` does."""
        if not self.weight.is_meta:
            super().reset_parameters()
