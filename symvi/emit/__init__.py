"""Text: the kernels of a program printed in a language, laid out by templates."""
