"""House themes: a folder that changes the look and the words of the documents, checked whole before use."""
