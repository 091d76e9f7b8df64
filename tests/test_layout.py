"""Tests have the path of their module: explorer/masks.py is tested by tests/test_masks.py."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    path.relative_to(ROOT / "explorer").as_posix()
    for path in (ROOT / "explorer").rglob("*.py")
    if path.name != "__init__.py"
)

# Modules without a test module of their own, and the tests that cover them.
ELSEWHERE = {
    "__main__.py": "test_package.py",
    "analysis/waves.py": "app/test_numbers.py, app/test_taking.py",
    "exercises/mask_cells.py": "exercises/test_masks.py",
    "export/pictures.py": "notebook/test_example.py, browser/test_taking.py",
    "initialisation.py": "test_transformer.py, test_variants.py",
    "layers.py": "mistakes/test_catalogue.py, reference/test_stacks.py, test_variants.py",
    "linear.py": "reference/test_stacks.py, properties/test_no_hidden_state.py",
    "mistakes/attentions.py": "mistakes/test_catalogue.py",
    "mistakes/parts.py": "mistakes/test_catalogue.py",
    "names.py": "test_vocabulary.py, test_decoding_specials.py",
    "notebook/exploration.py": "test_exploration.py, app/test_taking.py",
    "notebook/options.py": "test_exploration.py",
    "notebook/output.py": "notebook/test_example.py, test_exploration.py",
    "paths.py": "test_package.py",
    "runtime/shares.py": "faults/test_uploads.py, faults/test_fair_rooms.py, training/test_pool.py",
    "reading_notes.py": "test_text.py, test_exploration.py",
    "render/beside.py": "render/test_svg.py",
    "render/hover.py": "browser/test_picture.py, browser/test_heatmaps.py",
    "render/markup.py": "render/test_svg.py",
    "render/scene.py": "render/test_svg.py, browser/test_svg.py",
    "render/traces.py": "render/test_svg.py, browser/test_svg.py",
    "training/needed.py": "weights/test_needed.py",
    "ui/address.py": "app/test_state.py, browser/test_history.py",
    "ui/answer.py": "app/test_home.py, app/test_tour.py",
    "ui/attention/panels.py": "app/test_pages.py, browser/test_clicking.py",
    "ui/components/answer_cells.py": "app/test_practice.py",
    "ui/components/answer_pieces.py": "app/test_translator.py, browser/test_translator.py",
    "ui/components/block_pictures.py": "app/test_home.py",
    "ui/components/explanations.py": "browser/test_for_everybody.py",
    "ui/components/corner.py": "browser/test_for_everybody.py",
    "ui/internals/received.py": "faults/test_sent_by_hand.py",
    "ui/components/heads_view.py": "app/test_heads.py, browser/test_heads_lines.py",
    "ui/components/noted.py": "app/test_taking.py",
    "ui/components/piece_choice.py": "app/test_why.py",
    "ui/components/step_table.py": "app/test_steps.py, browser/test_steps.py",
    "ui/components/table.py": "app/test_pages.py, browser/test_table.py",
    "ui/components/tour_stops.py": "app/test_tour.py, browser/test_home.py",
    "ui/components/word_list.py": "browser/test_for_everybody.py",
    "ui/components/take_pictures.py": "browser/test_taking.py",
    "ui/components/writing_stage.py": "app/test_home.py, browser/test_home.py",
    "ui/controls/answers.py": "app/test_trained.py, app/test_state.py",
    "ui/controls/attention.py": "app/test_pages.py, app/test_state.py",
    "ui/controls/batch.py": "app/test_pages.py, app/test_state.py",
    "ui/controls/examples.py": "app/test_pages.py",
    "ui/controls/loading.py": "app/test_loaded_here.py, browser/test_training.py",
    "ui/controls/model.py": "app/test_pages.py, app/test_state.py",
    "ui/controls/parts.py": "app/test_parts.py, app/test_pages.py",
    "ui/controls/sentences.py": "app/test_pages.py, app/test_state.py",
    "ui/controls/weights.py": "app/test_trained.py, app/test_state.py",
    "ui/decoding/panels.py": "app/test_decoding.py, browser/test_decoding.py",
    "ui/domains.py": "ui/test_query.py, ui/test_parameters.py",
    "ui/language.py": "app/test_languages.py, browser/test_languages.py",
    "ui/frame.py": "app/test_pages.py, browser/test_addresses.py",
    "render/hatch.py": "render/test_svg.py",
    "ui/lab/choices.py": "app/test_lab.py",
    "ui/lab/panels.py": "app/test_lab.py",
    "ui/lab/sides.py": "app/test_lab.py",
    "ui/lab/writing.py": "app/test_lab.py",
    "ui/masks/panels.py": "app/test_numbers.py, browser/test_clicking.py",
    "ui/other_order.py": "app/test_lab.py",
    "ui/outside.py": "app/test_outside.py",
    "ui/page.py": "app/test_pages.py",
    "ui/positions/own_order.py": "app/test_positions_order.py",
    "ui/positions/panels.py": "app/test_numbers.py, app/test_pages.py",
    "ui/practice/answering.py": "app/test_practice.py",
    "ui/practice/comparing.py": "app/test_practice.py",
    "ui/practice/end.py": "app/test_practice.py",
    "ui/practice/places.py": "app/test_practice.py",
    "ui/practice/session.py": "app/test_practice.py",
    "rooms/redis_store.py": "rooms/test_store.py, rooms/test_hub.py",
    "ui/components/page_texts.py": "app/test_languages.py, browser/test_for_everybody.py",
    "ui/components/room_seat.py": "browser/test_room.py",
    "ui/registry.py": "app/test_every_page.py",
    "ui/room/asking.py": "app/test_room.py, browser/test_room.py",
    "ui/room/bar.py": "app/test_room.py, browser/test_room.py",
    "ui/room/board.py": "app/test_room.py, browser/test_room.py",
    "ui/room/changes.py": "app/test_room.py, faults/test_passing_on.py",
    "ui/room/door.py": "app/test_room.py",
    "ui/room/following.py": "app/test_room.py, browser/test_room.py",
    "ui/room/leading.py": "app/test_room.py, browser/test_room.py",
    "ui/room/page.py": "app/test_room.py, browser/test_room.py",
    "ui/room/place.py": "app/test_room.py",
    "ui/settings.py": "app/test_pages.py",
    "ui/shortcuts.py": "app/test_every_page.py",
    "ui/stack/panels.py": "app/test_stack.py, app/test_stack_beside.py",
    "ui/steps/before_after.py": "app/test_steps_opening.py",
    "ui/steps/panels.py": "app/test_steps.py, app/test_steps_what_if.py",
    "ui/steps/what_if_controls.py": "app/test_steps_what_if.py",
    "ui/steps/worked_examples.py": "app/test_steps_on_paper.py",
    "ui/taking/about.py": "browser/test_taking.py",
    "ui/taking/panel.py": "app/test_taking.py",
    "ui/taking/scene.py": "app/test_taking.py",
    "ui/tokens/panels.py": "app/test_numbers.py, app/test_state.py",
    "ui/tour/drawings.py": "app/test_tour.py",
    "ui/tour/panel.py": "app/test_tour.py, browser/test_home.py",
    "ui/tour/says.py": "app/test_tour.py",
    "ui/tour/tour_run.py": "app/test_tour.py",
    "ui/tour/stops.py": "app/test_tour.py",
    "ui/web/messages.py": "faults/test_messages.py",
    "ui/why/choices.py": "app/test_why.py",
    "ui/why/difference.py": "app/test_why.py",
    "ui/why/heads.py": "app/test_why.py",
    "ui/why/many.py": "app/test_why.py",
    "ui/why/parts.py": "app/test_why.py",
    "ui/why/saying.py": "app/test_why.py",
    "ui/why/words.py": "app/test_why.py",
    "ui/training/file.py": "app/test_loaded_here.py, browser/test_training.py",
    "ui/training/options.py": "app/test_training.py, browser/test_training.py",
    "ui/training/progress.py": "app/test_training.py, browser/test_training.py",
    "ui/training/session.py": "app/test_training.py, app/test_training_waits.py",
    "views/about.py": "test_exploration.py, browser/test_taking.py",
    "views/attention.py": "app/test_taking.py, golden/test_record.py",
    "views/decoding.py": "app/test_taking.py, app/test_decoding.py",
    "views/lab.py": "app/test_lab.py, golden/test_record.py",
    "views/masks.py": "app/test_taking.py, app/test_numbers.py",
    "views/positions.py": "app/test_taking.py, app/test_numbers.py",
    "views/practice.py": "app/test_practice.py, golden/test_record.py",
    "views/room.py": "app/test_room.py, browser/test_room.py",
    "views/stack.py": "app/test_taking.py, app/test_stack.py",
    "views/steps/focus.py": "app/test_steps.py",
    "views/steps/pictures.py": "app/test_taking.py, app/test_steps.py",
    "views/steps/step_views.py": "app/test_steps.py",
    "views/tokens.py": "app/test_numbers.py, golden/test_record.py",
    "views/training.py": "app/test_training.py, golden/test_record.py",
    "views/why/difference.py": "app/test_why.py, golden/test_record.py",
    "views/why/heads.py": "app/test_why.py, notebook/test_causes.py",
    "views/why/parts.py": "app/test_why.py, notebook/test_causes.py",
    "views/why/words.py": "app/test_why.py, golden/test_record.py",
    "weights/huggingface/description.py": "weights/huggingface/test_model.py",
    "weights/huggingface/families/bart.py": "weights/huggingface/families/test_registry.py",
    "weights/huggingface/families/bert.py": "weights/huggingface/families/test_registry.py",
    "weights/huggingface/families/family.py": "weights/huggingface/families/test_registry.py",
    "weights/huggingface/families/gpt2.py": "weights/huggingface/families/test_registry.py",
    "weights/huggingface/families/t5.py": "weights/huggingface/families/test_registry.py",
    "weights/huggingface/files.py": "weights/huggingface/test_model.py",
    "weights/huggingface/known.py": "weights/test_loaded.py, app/test_pretrained.py",
    "weights/huggingface/text/files.py": "weights/huggingface/text/test_tokenizer.py",
    "weights/huggingface/text/labels.py": "weights/huggingface/text/test_tokenizer.py",
    "weights/huggingface/text/pieces.py": "weights/huggingface/text/test_tokenizer.py",
}


def own(module: str) -> Path:
    """The path of a module's own test module."""
    path = Path("tests", module)
    return path.with_name(f"test_{path.name}")


def test_every_module_has_its_tests() -> None:
    for module in MODULES:
        tests = own(module).as_posix()
        assert (ROOT / tests).is_file() or module in ELSEWHERE, f"neither {tests} nor in ELSEWHERE"


def test_what_is_tested_elsewhere() -> None:
    for module, paths in ELSEWHERE.items():
        assert module in MODULES, f"{module} is gone"
        assert not (ROOT / own(module)).exists(), f"{module} has tests of its own by now"
        for path in paths.split(", "):
            assert (ROOT / "tests" / path).exists(), f"no tests/{path}"
