"""Why did it write this word? Causes, by intervention, by gradient and by decomposition."""
