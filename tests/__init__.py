"""The tests of maxmargin; rooms mirror the package, ``contracts`` runs products of parts and laws."""
