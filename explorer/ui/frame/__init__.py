"""What each run passes: session, address, navigation, the page and its stage."""
