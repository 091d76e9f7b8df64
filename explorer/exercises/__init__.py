"""Questions about the sentence on show, whose answers the model's own trace gives."""
