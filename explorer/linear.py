"""The affine map x Wᵀ + b of `torch.nn`, quick to build if only its shape is needed."""

from torch import nn


class Linear(nn.Linear):
    """`nn.Linear` without torch's slow initialisation on the "meta" device, which draws nothing."""

    def reset_parameters(self) -> None:
        """Initialise the weights as `nn.Linear` does, except on "meta"."""
        if not self.weight.is_meta:
            super().reset_parameters()
