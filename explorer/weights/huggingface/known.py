"""Descriptions of the models in folders, read again only when their files have changed."""

import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from explorer.tokenizer import IdTokenizer, Tokenizer
from explorer.weights.huggingface.description import Description
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.model import check
from explorer.weights.huggingface.text.tokenizer import read_tokenizer, special_ids


def version(folder: Path) -> int:
    """A number that changes whenever one of the files does.

    Raises:
        OSError: if the folder is gone.
    """
    files = ((file.name, file.stat()) for file in os.scandir(folder) if file.is_file())
    return hash(frozenset((name, status.st_size, status.st_mtime_ns) for name, status in files))


def described(folder: Path) -> Description:
    """The description of the model in a folder.

    Raises:
        OSError: if the folder is gone.
        PretrainedError: if the engine cannot compute the model in its files.
    """
    return _described(folder, version(folder))


def tokenizer_of(folder: Path) -> Tokenizer:
    """The model's own tokenizer; if it has no files, one that reads typed ids.

    Raises:
        OSError: if the folder is gone.
        PretrainedError: if its files cannot be read.
    """
    return _tokenizer(folder, version(folder))


@lru_cache(maxsize=64)
def _described(folder: Path, version: int) -> Description:
    del version  # only so that a changed folder is read again
    return check(folder)


@lru_cache(maxsize=32)
def _tokenizer(folder: Path, version: int) -> Tokenizer:
    return tokenizer_for(folder, _described(folder, version))


def tokenizer_for(folder: Path, description: Description) -> Tokenizer:
    """The same as `tokenizer_of`, but read again and not cached.

    Raises:
        PretrainedError: if its files cannot be read.
    """
    config = description.config
    try:
        tokenizer = read_tokenizer(folder, description.hf_config)
        if tokenizer is not None:  # the files may hold less than config.json promises
            stacks = tokenizer.stacks if config.has_decoder else "encoder"
            return replace(tokenizer, stacks=stacks, longest=config.max_len)
        size = config.tgt_vocab_size or config.src_vocab_size
        specials = special_ids(description.hf_config, size)
    except ValueError as error:
        raise PretrainedError(str(error)) from None
    pad = config.src_pad_id if config.has_encoder else config.tgt_pad_id
    sizes = [config.src_vocab_size] * config.has_encoder + [
        config.tgt_vocab_size
    ] * config.has_decoder
    return IdTokenizer(
        pad,
        min(sizes),
        config.max_len,
        pad_by_id=False,
        writes=specials if config.has_decoder and specials.bos >= 0 else None,
        goes_on=not config.has_encoder,
    )
