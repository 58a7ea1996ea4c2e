//! A timeline as a standalone SVG.
