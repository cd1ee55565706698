"""Bytes to text, by every means of knowing their charset.

UTF-16 is known by its mark. Then the declared charset comes first, unless it is one that mail programs declare whatever
they send; then UTF-8, which other texts hardly ever are by chance, the hint (the charset of the subject), a guess by
how letters are distributed, and Windows-1252. Only charsets of this table are decoded.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache

_SAME_NAME = """
utf-8 utf-7 utf-16 utf-16-le utf-16-be utf-32
iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-15
iso8859-16 cp437 cp737 cp775 cp850 cp852 cp855 cp857 cp858 cp860 cp861 cp862 cp863 cp864 cp865 cp866 cp869 cp874
cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8-r koi8-u koi8-t kz1048
mac-roman mac-cyrillic mac-greek mac-latin2 mac-turkish
gb18030 hz big5hkscs cp950 cp949 johab iso2022-kr
cp932 euc-jp iso2022-jp iso2022-jp-1 iso2022-jp-2 iso2022-jp-3 iso2022-jp-2004 iso2022-jp-ext
"""
_OTHER_NAMES = {  # browsers and mail programs read each as the larger charset that its texts are really written in
    "gb18030": "gb2312 gbk cp936 ms936 windows936 xgbk euccn gb231280 csgb2312 chinesesimplified gb2312charset chinese",
    "big5hkscs": "big5 xbig5 big5eten cnbig5 csbig5 chinesetraditional xxbig5",
    "cp949": "euckr ksc5601 ksc56011987 ksc56011989 ksx1001 korean uhc windows949 ms949 cseuckr",
    "cp932": "shiftjis xsjis sjis mskanji windows31j csshiftjis ms932 windows932",
    "euc-jp": "xeucjp xeuc eucjis cseucpkdfmtjapanese ujis",
    "iso2022-jp-ext": "csiso2022jp jis",
    "cp1252": "iso88591 latin1 l1 isolatin1 windows1252 cp819 iso885911987 ansi ansix341968western xansi western",
    "cp1254": "iso88599 latin5 windows1254 l5",
    "cp874": "iso885911 tis620 windows874 thai",
    "iso8859-2": "latin2 l2",
    "iso8859-8": "iso88598i iso88598e hebrew logical visual",
    "iso8859-15": "latin9 latin0",
    "iso8859-7": "greek",
    "iso8859-5": "cyrillic",
    "iso8859-6": "arabic iso88596i iso88596e",
    "cp1250": "windows1250 xcp1250",
    "cp1251": "windows1251 win1251 xcp1251 win",
    "cp1253": "windows1253",
    "cp1255": "windows1255",
    "cp1256": "windows1256",
    "cp1257": "windows1257",
    "cp1258": "windows1258",
    "koi8-r": "koi8 koi cskoi8r koi8ru",
    "cp866": "ibm866",
    "cp437": "ibm437",
    "cp850": "ibm850",
    "mac-roman": "macintosh xmacroman mac",
    "mac-cyrillic": "xmaccyrillic",
    "utf-8": "utf8 unicode11utf8 xutf8 unicode20utf8",
    "utf-7": "unicode11utf7 xutf7",
    "utf-16": "ucs2 iso10646ucs2 unicode",
    "hz": "hzgb2312",
}
_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]")
_CODECS = {_NOT_ALPHANUMERIC.sub("", name): name for name in _SAME_NAME.split()} | {
    alias: name for name, aliases in _OTHER_NAMES.items() for alias in aliases.split()
}
_CODECS |= {f"iso{name[3:]}": codec for name, codec in list(_CODECS.items()) if name.startswith("iso8859")}
_LONGEST_NAME = 40
_SEVEN_BIT = frozenset({"utf-7", "hz"})
_DECLARED_BY_DEFAULT = frozenset({"cp1252"})  # by mail programs that know nothing of charsets
_SURROGATES = re.compile("[\ud800-\udfff]")
_MOST_ERRORS = 0.05
_SAMPLE = 4096
_FIRST_BYTES = (
    ("euc_kr", 0xB0, 0xC8, 0.85),
    ("euc_jp", 0xA4, 0xA5, 0.4),
    ("gb2312", 0xB0, 0xD7, 0.7),
    ("big5", 0xA4, 0xC6, 0.7),
    ("shift_jis", 0x82, 0x83, 0.5),
)


@lru_cache(maxsize=1024)
def _known_codec(name: str) -> str | None:
    return _CODECS.get(_NOT_ALPHANUMERIC.sub("", name.lower()))


def codec_of(charset: str | None) -> str | None:
    """Python's name of a charset as mail has it; None if it is unknown, or ASCII, which says nothing of 8-bit text."""
    return _known_codec(charset[:_LONGEST_NAME]) if charset else None


def is_seven_bit(charset: str | None) -> bool:
    """Whether text of this charset can be in ASCII characters that are not what they look like."""
    codec = codec_of(charset)
    return codec is not None and (codec in _SEVEN_BIT or codec.startswith("iso2022"))


def decode(data: bytes, declared: str | None = None, hint: str | None = None) -> str:
    """The text of these bytes, without surrogates; what is no text in the declared charset is left out."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "ignore")
    named = codec_of(declared)
    if data.isascii() and not is_seven_bit(declared) and not (named or "").startswith(("utf-16", "utf-32")):
        return data.decode("ascii")
    if named is not None and named not in _DECLARED_BY_DEFAULT:
        text = _decode_nearly(data, named)
        if text is not None:
            return text
    for codec in ("utf-8", codec_of(hint), guess(data), named):
        if codec is not None:
            with suppress(ValueError):
                return _without_surrogates(data.decode(codec))
    return data.decode("cp1252", "ignore")


def _decode_nearly(data: bytes, codec: str) -> str | None:
    """The text without bytes that are damaged; None if these are so many that the charset must be wrong."""
    text = data.decode(codec, "replace")
    if text.count("\ufffd") > _MOST_ERRORS * len(text):
        return None
    return _without_surrogates(text.replace("\ufffd", ""))


def _without_surrogates(text: str) -> str:
    """UTF-7 can spell halves of characters."""
    return text if text.isascii() else _SURROGATES.sub("", text)


def guess(data: bytes) -> str | None:
    """The charset that undeclared 8-bit text is in, if it is East Asian, Cyrillic, Thai or Turkish; otherwise None.

    Common characters have first bytes in a narrow range: syllables of KS X 1001, characters of level 1 in GB 2312 and
    Big5, kana of EUC-JP and Shift JIS. Cyrillic and Thai words are 8-bit letters throughout, and Turkish has a dotless
    i where Western charsets have a rare letter.
    """
    sample = data[:_SAMPLE]
    high = sample.translate(None, bytes(range(128)))
    if len(high) < 8:
        return None
    if len(high) >= 0.1 * len(sample):
        for codec, first, last, share in _FIRST_BYTES:
            if _share_of_first_bytes(sample, codec, first, last) >= share:
                return codec_of(codec)
    if len(high) >= 0.35 * len(sample):
        small_koi8, small_windows = _share(high, 0xC0, 0xDF), _share(high, 0xE0, 0xFF)
        if small_koi8 + small_windows >= 0.85:
            return "koi8-r" if small_koi8 > small_windows else "cp1251"
        if _share(high, 0xA1, 0xBF) >= 0.3:
            return "cp874"
    return "cp1254" if _share(high, 0xFD, 0xFD) >= 0.2 else None


def _share(data: bytes, first: int, last: int) -> float:
    """The share of bytes in a range."""
    return 1 - len(data.translate(None, bytes(range(first, last + 1)))) / len(data)


def _share_of_first_bytes(data: bytes, codec: str, first: int, last: int) -> float:
    """The share of two-byte characters whose first byte is in a range; 0 if the bytes are not of that charset."""
    try:
        text = data.decode(codec, "ignore")
        characters = [character.encode(codec) for character in text if character > "\x7f"]
    except ValueError:
        return 0
    n_lost = len(data) - len(text) - len(characters)
    if n_lost > 2 + len(data) // 100:
        return 0
    return sum([first <= character[0] <= last for character in characters]) / max(len(characters), 1)
