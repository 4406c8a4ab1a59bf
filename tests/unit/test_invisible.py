"""Which characters are removed because nobody sees them, and which look like them and stay."""

# ruff: noqa: RUF001 - letters of many scripts

from __future__ import annotations

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.text.sanitize import clean_text, remove_invisible, remove_invisible_in

#: Format characters that are drawn (Unicode: Prepended_Concatenation_Mark).
DRAWN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
#: Default_Ignorable_Code_Point of a category that is otherwise printed.
BLANK = {
    0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10),
    0x2800, 0xFFA0, *range(0xE0100, 0xE01F0),
}  # fmt: skip
JOINERS = {0x200C, 0x200D, 0xFE0E, 0xFE0F}
#: May be an emoji or ideograph that this Python's Unicode does not know yet.
RESERVED = (range(0x1F000, 0x1FB00), range(0x20000, 0x2FFFE), range(0x30000, 0x3FFFE))


def is_invisible(char: str) -> bool:
    """Tell what the rule removes wherever it stands, from the Unicode database."""
    code = ord(char)
    if code in BLANK or code in JOINERS:
        return True
    category = unicodedata.category(char)
    if category == "Cn":
        return not any(code in block for block in RESERVED)
    return category in {"Cc", "Cf", "Co"} and char not in "\t\n" and code not in DRAWN


#: The blocks in which something is assigned; all others are for private use or none yet.
ASSIGNED = (range(0x34000), range(0xDFF00, 0xE0200), range(0x10FFF0, 0x110000))


@pytest.mark.parametrize(
    "blocks", [ASSIGNED, pytest.param([range(0x110000)], marks=pytest.mark.nightly)]
)
def test_every_character_follows_the_unicode_database(blocks) -> None:
    for code in itertools.chain(*blocks):
        if not 0xD800 <= code <= 0xDFFF:
            expected = "" if is_invisible(chr(code)) else chr(code)
            expected = "\n" if code in (0x2028, 0x2029) else expected
            assert expected == remove_invisible(chr(code)), hex(code)


@pytest.mark.parametrize(
    "text",
    [
        "Plain text,\n\twith a tab.",
        "Größe, naïve, Łódź, Ştefan, Việt Nam, ŵ",
        "Ελληνικά, Русский, Українська, Ქართული, Հայերեն",
        "עברית שָׁלוֹם, العَرَبِيَّة ۝, فارسی: می‌خواهم، API‌ها، ۲۰‌ساله، ایده‌ای",
        "हिन्दी क्‍ष, বাংলা র‌্য, ਪੰਜਾਬੀ, ગુજરાતી, தமிழ், తెలుగు రాజ్‌, ಕನ್ನಡ, മലയാളം അവന്‍, සිංහල ශ්‍රී",
        "ไทย, ລາວ, မြန်မာ, ខ្មែរ, བོད་སྐད",
        "日本語\u3000パスワード, 한국어, 中文简体與繁體, 𠮷野家",
        "😀 ❤️ ☎︎ ©️ ™️ 1️⃣ #️⃣ *⃣ 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 👁️‍🗨️ ⛹🏽‍♀️ ❤️‍🔥 🇩🇪 🏴‍☠️ 🐻‍❄️ 👩🏾‍🤝‍👨🏻",
        "a\u00a0b\u202fc\u2009d",
    ],
)
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert text == remove_invisible(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\u200bb\u2060c\ufeffd\u061ce\u200ef\u200fg\u00adh", "abcdefgh"),
        ("run\U000e0069\U000e0067\U000e006e this", "run this"),
        ("key\ufe0f \ufe00a\U000e0101 1\ufe0f", "key a 1"),
        ("pass\u200dword pass\u200cword \u200dx\u200c", "password password x"),
        ("😀\ufe0f\ufe0f\ufe0e😀\u200d\u200d😀\u200d", "😀\ufe0f😀\u200d😀"),
        ("می\u200c\u200cخواهم\u200c.", "می\u200cخواهم."),
        ("\u2764\ufe0f\u200d\u200b\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),
        ("\x1b[31mred\x1b[0m \x9b1mbold \u202eevil", "red 1mbold evil"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4"),
        ("\ue000\uf8ff\U0010fffd\ufdd0\U0001ffff", ""),
    ],
)
def test_what_nobody_sees_is_removed(text: str, left: str) -> None:
    assert left == remove_invisible(text)


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = remove_invisible(text)
    assert once == remove_invisible(once)
    assert clean_text(text) == clean_text(clean_text(text))


def test_every_text_of_a_structure_is_cleaned() -> None:
    assert {"a": ["b", ("c", 1, None)]} == remove_invisible_in(
        {"a\u200b": ["b\u200b", ("c\u200b", 1, None)]}
    )
