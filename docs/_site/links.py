"""Links inside the built site: every address leads to a page, every fragment to a place on it, every picture is there.

python docs/_site/links.py docs/_build/html
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Places and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Ids and names are places; what is read or gone to is a link."""
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.places.add(value or "")
            if name in ("href", "src") and value:
                self.links.append(value)


def broken(site: Path) -> list[str]:
    """What leads nowhere, as lines of page and link."""
    files = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]  # the theme's templates are there
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in files}
    found = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue  # another site
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{path.relative_to(site.resolve())}: {link} is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{path.relative_to(site.resolve())}: {link} has no such place")
    return found


def main() -> None:
    """Print what is broken; an error if anything is."""
    site = Path(sys.argv[1])
    found = broken(site)
    print("\n".join(found) or f"All links inside {site} lead somewhere ({len(list(site.rglob('*.html')))} pages).")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
