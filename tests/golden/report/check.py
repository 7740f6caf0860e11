# SPDX-License-Identifier: GPL-2.0-only
"""Checks pages: every element is closed in order, ids are unique, links lead to them, and nothing
is loaded from outside. Prints problems; exit code 1 where there are some."""
import sys
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "br", "img", "hr"}


class Page(HTMLParser):
    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.open, self.ids, self.links, self.problems = name, [], set(), [], []

    def say(self, text):
        self.problems.append(f"{self.name}:{self.getpos()[0]}: {text}")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for key, value in attrs.items():
            if tag == "a" and key == "href" and not value.startswith("#"):
                if not (Path(self.name).parent / value).is_file():  # a file beside the page
                    self.say(f"no file {value}")
            elif key in ("src", "href") and value not in ("data:,",) and not value.startswith("#"):
                self.say(f"{tag} loads {value}")
            if key.startswith("on"):
                self.say(f"{tag} has {key}")
        if attrs.get("href", "").startswith("#"):
            self.links.append(attrs["href"][1:])
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.say(f"id {attrs['id']} twice")
            self.ids.add(attrs["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.say(f"</{tag}> closes nothing that is open")

    def end(self):
        self.close()
        if self.open:
            self.say(f"not closed: {self.open}")
        self.problems += [f"{self.name}: no id {link}" for link in self.links if link not in self.ids]
        return self.problems


problems = []
for path in sys.argv[1:]:
    page = Page(path)
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    problems += page.end()
print("\n".join(problems))
sys.exit(bool(problems))
