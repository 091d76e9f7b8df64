"""Models in folders, read again only when their files have changed."""

import os
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from explorer.tokenizer import IdTokenizer, Tokenizer
from explorer.weights.huggingface.description import Description
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.model import check
from explorer.weights.huggingface.text.tokenizer import read_tokenizer, special_ids


@dataclass(frozen=True, eq=False)
class ModelFolder:
    """A model's folder, of which each part is read when it is first asked for.

    Raises, with both parts:
        OSError: if the folder is gone.
        PretrainedError: if the engine cannot compute the model in its files.
    """

    folder: Path
    version: int = 0  # changes whenever one of the files does

    @cached_property
    def described(self) -> Description:
        """The model, but for its numbers."""
        return check(self.folder)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's own tokenizer; if it has no files, one that reads typed ids."""
        hf_config, config = self.described.hf_config, self.described.config
        try:
            tokenizer = read_tokenizer(self.folder, hf_config)
            if tokenizer is not None:  # the files may hold less than config.json promises
                stacks = tokenizer.stacks if config.has_decoder else "encoder"
                return replace(tokenizer, stacks=stacks, longest=config.max_len)
            specials = special_ids(hf_config, config.tgt_vocab_size or config.src_vocab_size)
        except ValueError as error:
            raise PretrainedError(str(error)) from None
        pad = config.src_pad_id if config.has_encoder else config.tgt_pad_id
        sizes = [config.src_vocab_size] * config.has_encoder
        sizes += [config.tgt_vocab_size] * config.has_decoder
        return IdTokenizer(
            pad,
            min(sizes),
            config.max_len,
            pad_by_id=False,
            writes=specials if config.has_decoder and specials.bos >= 0 else None,
            goes_on=not config.has_encoder,
        )


def model_in(folder: Path) -> ModelFolder:
    """The model in a folder, as its files are now.

    Raises:
        OSError: if the folder is gone.
    """
    files = ((file.name, file.stat()) for file in os.scandir(folder) if file.is_file())
    version = frozenset((name, status.st_size, status.st_mtime_ns) for name, status in files)
    return _model_in(folder, hash(version))


_model_in = lru_cache(maxsize=32)(ModelFolder)
