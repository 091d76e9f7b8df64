"""English sentences and their German, made by rules from a lexicon."""
