"""What the build of the site makes by itself: pages of the reference, settings of the gallery."""
