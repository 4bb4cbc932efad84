"""The page and its core in WebAssembly."""
