"""Sentences and what a model computed for them, with the app's pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack, get_args

from explorer.analysis.attention import content_words
from explorer.analysis.causes import attribution, logit_parts, patching, score_parts
from explorer.analysis.causes.asked import Asked, Head
from explorer.analysis.causes.question import Question, Sentence, Word
from explorer.analysis.head_roles import KnownHeads
from explorer.analysis.head_steps import head_steps
from explorer.analysis.stops import stops
from explorer.analysis.what_if import AttentionChange
from explorer.config import require_one_of, require_within
from explorer.forward import forward
from explorer.names import BOS, EOS, PAD, AttentionKind
from explorer.notebook.options import Change, Choosing, HeadShown, Positions, StepFocus
from explorer.notebook.output import Output
from explorer.runtime.causes import Causes, sentence_of
from explorer.runtime.engine import Engine, Run
from explorer.runtime.generation import DecodingOptions, Generation, Method, generate
from explorer.text import MAX_PAIRS, Answer, Batch
from explorer.tokenizer import Tokenizer
from explorer.transformer import Transformer, TransformerTrace
from explorer.views import attention, decoding, masks, positions, stack
from explorer.views.about import sentence_in_words, weights_in_words
from explorer.views.heads import as_picture, heads_picture
from explorer.views.looks import (
    middle_word,
    telling_head,
    telling_kind,
    telling_layer,
    usual_word,
)
from explorer.views.picture import Call, Picture
from explorer.views.steps.focus import Focus, came_from
from explorer.views.steps.pictures import step_picture, telling_query, weights_picture
from explorer.views.steps.step_views import STEPS, step_view
from explorer.views.why import difference as why_difference
from explorer.views.why import heads as why_heads
from explorer.views.why import parts as why_parts
from explorer.views.why import words as why_words
from explorer.weights.catalogue import Learnt, ModelRequest, known_heads


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Exploration:
    """Sentences, the model that read them, and everything it computed.

    Its methods draw one sentence pair, `row` of the batch. Layers and heads count from 0, as in the
    trace; captions and titles count from 1, as the app does.
    """

    batch: Batch
    model: Transformer
    trace: TransformerTrace  # of the whole batch
    request: ModelRequest
    tokenizer: Tokenizer
    learnt: Learnt | None  # None for seeded weights
    sources: tuple[str, ...]
    targets: tuple[str | Answer, ...]  # typed, or answers of the model
    engine: Engine
    dropout_seed: int | None = None
    row: int = 0

    def pair(self, number: int, *, hide_pad: bool = False) -> "Exploration":
        """The same with another sentence pair in focus, counted from 1, with or without its PAD."""
        require_within("number", number, len(self.batch.src), first=1)
        seen = replace(self, row=number - 1)
        if not hide_pad:
            return seen
        batch = self.batch.without_pad(seen.row)
        return replace(
            seen, batch=batch, trace=forward(self.model, batch, dropout_seed=self.dropout_seed)
        )

    def run(self) -> Run:
        """The pair in focus and its trace, as every picture takes them."""
        return self.engine.run(self.request, self.batch, self.row, dropout_seed=self.dropout_seed)

    def __repr__(self) -> str:
        named = "seeded weights" if self.learnt is None else self.learnt.name
        shape = f"d_model={self.model.config.d_model}, pairs={len(self.sources)}"
        return f"Exploration({named}, {shape}, row={self.row}: {self.sources[self.row]!r})"

    def what_if(
        self, kind: AttentionKind, layer: int, **change: Unpack[Change]
    ) -> TransformerTrace:
        """The trace of the pair in focus with one attention changed: `without_head=4`, from 0.

        Raises:
            ValueError: if the model has no such attention, layer or head.
        """
        return self.run().what_if(kind, layer, AttentionChange(**change))

    def attribute(
        self,
        position: int,
        method: attribution.Method = "occlusion",
        token: Word | None = None,
        rival: Word | None = None,
    ) -> attribution.Attribution:
        """How much each word mattered for the one written at a position, by one of six methods.

        Positions count from 0 over the decoder's rows, or over those of an encoder alone. The token
        is the one that follows in the target, or the likeliest; with a rival, what is attributed
        is the difference of their logits. Dropout is off, here and in the next three.

        Raises:
            ValueError: if there is no such position, method, token or rival, or if the method has
                no answer here.
        """
        result = attribution.attribute(self._asked(position, token, rival), method)
        if not result.is_answer:
            raise ValueError(f"{why_words.no_answer(result)} Ask another method, as 'occlusion'.")
        return result

    def parts_of_logit(
        self, position: int, token: Word | None = None, rival: Word | None = None
    ) -> logit_parts.LogitParts:
        """The token's logit as a sum over the parts of the model, its norms frozen.

        Raises:
            ValueError: as `attribute`.
        """
        return logit_parts.parts_of_logit(self._asked(position, token, rival))

    def patch(
        self,
        other: "Exploration",
        kind: AttentionKind,
        layer: int,
        head: int | None,
        positions: Sequence[int] | None = None,
    ) -> TransformerTrace:
        """The trace with a head's output (before W_O) taken from another pair's.

        `head` None stands for all heads of the layer, `positions` for the queries, from 0.

        Raises:
            ValueError: if there is no such head or position, or the other pair has other positions
                or another model.
        """
        return patching.patch(self._read(), other._read(), kind, layer, head, positions)

    def parts_of_score(
        self, kind: AttentionKind, layer: int, head: int, query: int, key: int
    ) -> score_parts.ScoreParts:
        """A score, before the mask, as a sum over parts of its query and parts of its key.

        Raises:
            ValueError: if the model has no such attention or head, or the pair no such position.
        """
        return score_parts.parts_of_score(self._read(), kind, layer, head, query, key)

    def why(
        self,
        ask: str = "words",
        position: int | None = None,
        *,
        token: Word | None = None,
        rival: Word | None = None,
        other: "Exploration | str | None" = None,
        head: Head | None = None,
    ) -> Output:
        """The pictures of *Why?*: "words", "parts", "heads", or the "difference" to another source.

        Without a position, it is a content word that was written. `other` is a source of as many
        tokens, read with the same target. `head`, a kind, layer and head, is framed among "parts"
        or "heads".

        Raises:
            ValueError: as `attribute`, for another question, or for an `other` that does not fit.
        """
        require_one_of("ask", ask, ("words", "parts", "difference", "heads"))
        if head is not None:
            self._telling(*head)  # there is such a head
        ran = replace(self, dropout_seed=None).run()
        labels = ran.src_labels
        if self.model.config.has_decoder:
            labels = (
                ran.tgt_labels if ran.batch.tgt_out is None else ran.batch.tgt_out_labels[ran.row]
            )
        at = content_words(labels)[0] if position is None else position
        if ask == "difference":
            seen, other = self._beside(other) if isinstance(other, str) else (self, other)
            ran = replace(seen, dropout_seed=None).run()
            return self._difference(Causes.of(ran, at, token, rival), other)
        causes = Causes.of(ran, at, token, rival)
        asked = Asked.of(causes.question)
        if ask == "parts":
            parts = causes.parts()
            return self._output(
                why_parts.waterfall_picture(asked, parts),
                why_parts.heads_picture(asked, parts, head),
            )
        if ask == "heads":
            effects = causes.without_heads()
            framed = head or why_heads.telling_head(asked, effects)
            return self._output(why_heads.off_picture(asked, effects, framed))
        kind: AttentionKind = "decoder" if self.model.config.has_decoder else "encoder"
        kind = "cross" if "cross" in self.model.config.attention_kinds else kind
        _, layer, telling = self._telling(kind, None, None)
        compared = why_words.compared(causes, asked, ran.attention(kind, layer), telling)
        return self._output(
            why_words.occlusion_picture(asked, causes.attributed("occlusion")),
            why_words.methods_picture(asked, compared),
            why_words.deletion_picture(asked, compared.curves),
        )

    def why_score(self, kind: AttentionKind, layer: int, head: int, query: int, key: int) -> Output:
        """The picture of a score as a matrix of parts.

        Raises:
            ValueError: as `parts_of_score`.
        """
        score = {"kind": kind, "layer": layer, "head": head, "query": query, "key": key}
        parts = self.parts_of_score(kind, layer, head, query, key)
        code = Call(method="why_score", arguments=score)
        return self._output(why_parts.score_picture(parts, code))

    def _difference(self, causes: Causes, other: "Exploration | None") -> Output:
        if other is None:
            raise ValueError("other is needed: a source, or what explore returned of one, got None")
        b = replace(other, dropout_seed=None).run()
        mine, its = (
            int((one.src_words if one.src.shape[1] else one.tgt_words)[row].sum())
            for one, row in ((causes.run.batch, causes.run.row), (b.batch, b.row))
        )
        if mine != its:
            raise ValueError(f"other must have as many tokens, {mine}, got {its}")
        asked = Asked.of(causes.question)
        heads = causes.restored(b, float)
        positions = causes.restored_positions(b, float)
        at, source = why_heads.restoring_head(heads), other.sources[other.row]
        return self._output(
            why_difference.heads_picture(asked, heads, at, source),
            why_difference.positions_picture(asked, positions, source),
        )

    def _beside(self, source: str) -> "tuple[Exploration, Exploration]":
        """The pair in focus, and another source before the same target, in one batch.

        So words have the same ids in both, and PAD stands where it stood.
        """
        batch, rows = self.batch, [*range(len(self.sources)), self.row]
        if len(rows) > MAX_PAIRS:
            rows.remove(next(row for row in reversed(rows) if row != self.row))
        sources = *(self.sources[row] for row in rows[:-1]), source
        targets = tuple(map(self._target, rows))
        words = batch.src_words if batch.src.shape[1] else batch.tgt_words
        read = self.tokenizer.batch(
            sources,
            targets,
            side="right" if words[:, 0].all() else "left",
            length=min(filter(None, (batch.src.shape[1], batch.tgt_in.shape[1]))),
        )
        both = replace(self, batch=read, sources=sources, targets=targets)
        return replace(both, row=rows.index(self.row)), replace(both, row=len(rows) - 1)

    def _target(self, row: int) -> str | Answer:
        """The target of a pair, for the tokenizer to read once more."""
        target = self.targets[row]
        if self.learnt is None or self.learnt.task is None or isinstance(target, str):
            return target
        return self.tokenizer.join(self.batch.tgt_vocab.decode(target.ids))  # they depend on it

    def _read(self) -> Sentence:
        """The pair in focus as causes ask about it: without dropout."""
        return sentence_of(replace(self, dropout_seed=None).run())

    def _asked(self, position: int, token: Word | None, rival: Word | None) -> Question:
        return Question.of(self._read(), position, token, rival)

    def attention(
        self,
        kind: AttentionKind | None = None,
        layer: int | None = None,
        head: int | None = None,
        **shown: Unpack[HeadShown],
    ) -> Output:
        """One head of an attention, and all heads of its layer; the most telling by default."""
        telling = self._telling(kind, layer, head)
        hide_pad, own_range = shown.get("hide_pad", False), shown.get("own_range", False)
        view = attention.Choices(*telling, own_range=own_range)
        heads, cell = self.run().attention(view.kind, view.layer), None
        if hide_pad:
            heads = heads.without_pad()
        if "query" in shown and "key" in shown:
            cell = heads.cell(shown["query"], shown["key"])
            if cell is None:
                queries, keys = map(len, (heads.query_positions, heads.key_positions))
                raise ValueError(
                    f"query and key must be on show, of {queries} queries and {keys} keys, got "
                    f"{shown['query']} and {shown['key']}"
                )
        one = attention.one_head(heads, view, cell=cell)
        return self._output(one, attention.all_heads(heads, view))

    def heads(
        self,
        kind: AttentionKind | None = None,
        layer: int | None = None,
        head: int | None = None,
        *,
        own_range: bool = False,
    ) -> Output:
        """Every head of every layer, one of them framed."""
        place = self._telling(kind, layer, head)
        return self._output(as_picture(heads_picture(self.run(), *place, own_range=own_range)))

    def masks(
        self, which: str = "all", *, query: int | None = None, key: int | None = None
    ) -> Output:
        """The masks: "encoder", "target", "cross", with a cell framed, by default a telling one.

        "targets" and "source" are those of all pairs, and "all" is all of these.

        Raises:
            ValueError: if the model has no such mask.
        """
        config, batch = self.model.config, self.batch
        kinds: dict[str, AttentionKind] = {"encoder": "encoder", "target": "decoder"}
        named = (kinds | {"cross": "cross"}).items()
        one = {name: kind for name, kind in named if kind in config.attention_kinds}
        all_of = [*(["targets"] * config.has_decoder), *(["source"] * config.has_encoder)]
        require_one_of("which", which, (*one, *all_of, "all"))
        pictures = []
        for name in (*one, *all_of) if which == "all" else (which,):
            if name == "targets":
                pictures.append(masks.target_masks(batch, self.row))
            elif name == "source":
                pictures.append(masks.source_mask(batch))
            else:
                mask = masks.mask_of(batch, self.row, one[name])
                at = middle_word(mask.query_labels) if query is None else query
                require_within("query", at, len(mask.query_labels))
                cell = at, masks.nearest_hidden_key(mask, at) if key is None else key
                require_within("key", cell[1], len(mask.key_labels))
                pictures.append(masks.one_mask(mask, cell))
        return self._output(*pictures)

    def positions(self, aspect: str = "inputs", **options: Unpack[Positions]) -> Output:
        """The positions: "inputs" (embedding, encoding, sum), "encoding", "waves", "similarity".

        Raises:
            ValueError: for another aspect.
        """
        require_one_of("aspect", aspect, ("inputs", *positions.OF_ENCODING))
        config, batch = self.model.config, self.batch
        waves = float(options.get("base", 10_000)), options.get("formula", "paper")
        tokens = (batch.src_labels if config.has_encoder else batch.tgt_in_labels)[self.row]
        if aspect == "inputs":
            ran = self.run()
            trace = ran.trace.src_embedding if config.has_encoder else ran.trace.tgt_embedding
            scaled = options.get("scaled", True) and config.scale_embedding
            return self._output(
                positions.inputs_picture(trace, tokens, config, waves, scaled=scaled)
            )
        word = options.get("word", usual_word(tokens))
        if aspect == "encoding":
            require_within("word", word, len(tokens))
        first = min(options.get("first", 0), config.d_model - 1)
        encoding = positions.Encoding.of(
            options.get("length", 80), config.d_model, waves, tokens, word, first
        )
        _, picture = positions.OF_ENCODING[aspect]
        return self._output(picture(encoding))

    def steps(
        self,
        step: str = "dots",
        kind: AttentionKind | None = None,
        layer: int | None = None,
        head: int | None = None,
        **focus: Unpack[StepFocus],
    ) -> Output:
        """One weight step by step: x, qkv, dots, scores, mask, softmax, context, concat, out.

        Raises:
            ValueError: if there is no such step.
        """
        require_one_of("step", step, STEPS)
        form, which = focus.get("form", "vector"), focus.get("which", "q")
        require_one_of("form", form, ("vector", "matrix"))
        require_one_of("which", which, ("q", "k", "v"))
        kind, layer, head = self._telling(kind, layer, head)
        ran = self.run()
        heads = ran.attention(kind, layer)
        steps = head_steps(
            self.model.attention(kind, layer),
            ran.trace.attention_inputs(kind, layer),
            ran.trace.attention(kind, layer),
            head,
        )
        query = focus.get("query", telling_query(heads.query_labels))
        require_within("query", query, len(heads.query_labels))
        key = focus.get("key", int(steps.weights[query].argmax()))
        require_within("key", key, len(heads.key_labels))
        at = Focus(
            steps=steps,
            query=query,
            key=key,
            query_labels=heads.query_labels,
            key_labels=heads.key_labels,
            came_from=came_from(self.model.config, kind, layer),
            kind=kind,
            layer=layer,
            head=head,
            form=form,
            which=which,
            dropout=self.dropout_seed is not None,
        )
        return self._output(weights_picture(at, step), step_picture(step, at, step_view(step, at)))

    def stack(
        self,
        stop: int = 0,
        *,
        change: bool = False,
        word: int | None = None,
    ) -> Output:
        """One stop of the way through the stack, the residual stream, and the logit lens.

        With `change`, the stop shows its difference from its input; `word` is framed.

        Raises:
            ValueError: if there is no such stop.
        """
        ran = self.run()
        all_stops = stops(self.model, ran.trace)
        require_within("stop", stop, len(all_stops))
        if word is not None:
            require_within("word", word, len(stack.labels_at(all_stops[stop], ran)))
        token = usual_word(stack.labels_at(all_stops[stop], ran)) if word is None else word
        pictures = [
            stack.stop_picture(all_stops, stop, ran, token, change=change),
            stack.stream_picture(all_stops, stop, ran),
        ]
        if self.model.config.has_decoder:
            read = usual_word(ran.tgt_labels) if word is None else word
            pictures += filter(None, [stack.lens_picture(ran, read)])
        return self._output(*pictures)

    def decode(
        self,
        method: Method = "greedy",
        *,
        at: int | None = None,
        layer: int | None = None,
        head: int | None = None,
        **options: Unpack[Choosing],
    ) -> Output:
        """The answer as it is written: the next word, the search of a beam, the words' sources.

        With `at`, the answer ends at this word, from 0.

        Raises:
            ValueError: if the model writes nothing, or its answer has no such word.
        """
        require_one_of("method", method, get_args(Method))
        how = DecodingOptions(method, **options)
        answer = self._answer(how)
        at = len(answer.words) - 1 if at is None else at
        require_within("at", at, len(answer.words))
        begun, _ = self._beginning()
        writing = decoding.Writing(
            answer=answer, options=how, batch=self.batch, row=self.row, begun=begun, at=at
        )
        newest, *_ = decoding.newest_pictures(writing, 0 if layer is None else layer)
        pictures = [decoding.next_words_picture(writing, beside=newest)]
        if answer.tree:
            pictures.append(decoding.tree_picture(writing))
        if self.model.config.has_encoder:
            # The page opens on the last layer, also of untrained weights.
            usual = self.model.config.n_decoder_layers - 1
            if layer is None and self._known() is None:
                layer = usual
            _, layer, head = self._telling("cross", layer, head)
            pictures.append(decoding.alignment_picture(writing, layer, head))
        written = writing.labels[:-1] if answer.ended else writing.labels
        pair = sentence_in_words(self.sources[self.row], self.tokenizer.join(written))
        about = filter(None, (pair, decoding.manner_in_words(self.batch.specials, how)))
        return Output(pictures, "\n".join(about))

    def _answer(self, options: DecodingOptions) -> Generation:
        batch, config = self.batch, self.model.config
        if not config.has_decoder or decoding.writes_nothing(self.tokenizer):
            raise ValueError(
                "this model has no decoder, or typed ids have no BOS: it writes nothing"
            )
        source = batch.sources[self.row : self.row + 1]
        if self.learnt is not None:
            limit = self.learnt.answer_limit(batch.n_read(self.row))
            options = replace(options, limit=limit)
        _, prompt = self._beginning()
        return generate(
            self.engine, self.request, source, options, specials=batch.specials, prompt=prompt
        )

    def _beginning(self) -> tuple[list[str], tuple[int, ...]]:
        return decoding.beginning(
            self.tokenizer,
            self.batch,
            self.row,
            self.sources[self.row],
            has_encoder=self.model.config.has_encoder,
        )

    def _telling(
        self, kind: AttentionKind | None, layer: int | None, head: int | None
    ) -> tuple[AttentionKind, int, int]:
        """The attention, layer and head to show, where not all are given."""
        config, known, trained = self.model.config, self._known(), self.learnt is not None
        kind = kind or telling_kind(config, trained=trained)
        self.model.attention(kind, layer or 0)  # there is one
        if layer is None:
            layer = telling_layer(config, kind, known, trained=trained)
        if head is None:
            head = telling_head(known, kind, layer)
        require_within("head", head, config.n_heads)
        return kind, layer, head

    def _known(self) -> KnownHeads | None:
        """The roles of the heads over many sentences, where they were measured."""
        return known_heads(self.request.source)

    def _output(self, *pictures: Picture) -> Output:
        """The pictures, with the sentence in focus and the weights."""
        target_words = [w for w in self.batch.tgt_labels[self.row] if w not in (PAD, BOS, EOS)]
        sentence = sentence_in_words(self.sources[self.row], self.tokenizer.join(target_words))
        quality = "" if self.learnt is None else self.learnt.quality
        weights = weights_in_words(self.request, self.learnt, quality, self.dropout_seed)
        return Output(pictures, f"{sentence}\n{weights}")
