"""Every charset that can be known is decoded; what cannot be is read as well as it goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text.mail.charsets import codec_of, decode

CHINESE = "中国国际电子设备展览会将于五月在北京举行，欢迎各位朋友前来参观指导。"
KOREAN = "신선한 파티에 여러분을 초대 합니다. 지금 바로 신청하세요."
JAPANESE = "これはとてもおもしろいはなしです。ぜひよんでください。"
RUSSIAN = "Здравствуйте, предлагаем вам новые семинары по бухгалтерскому учету в Москве"
THAI = "ตื่นตัวกับโลกธุรกิจบนอินเตอร์เน็ต รายได้ดี"
TURKISH = (
    "sayın yetkili, kırtasiye ürünlerimizi tanıtmak için sizi bilgilendirmek istiyoruz, fiyatlarımız uygundur şimdi"
)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("gb2312", "gb18030"),
        ("GB_2312-80", "gb18030"),
        ("ks_c_5601-1987", "cp949"),
        ("EUC-KR", "cp949"),
        ("ISO-8859-1", "cp1252"),
        ("iso8859-1", "cp1252"),
        ("windows-1251", "cp1251"),
        ("x-sjis", "cp932"),
        ("Shift_JIS", "cp932"),
        ("big5", "big5hkscs"),
        ("iso-8859-15", "iso8859-15"),
        ("unicode-1-1-utf-7", "utf-7"),
        ("us-ascii", None),
        ("unknown-8bit", None),
        ("zip", None),
        ("rot13", None),
        ("idna", None),
        ("undefined", None),
        ("unicode_escape", None),
        ("", None),
    ],
)
def test_charsets_have_many_names_and_other_codecs_none(name, codec):
    assert codec_of(name) == codec


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        (CHINESE, "gb2312"),
        (CHINESE, "gb18030"),
        (CHINESE, "hz"),
        (KOREAN, "euc-kr"),
        (KOREAN, "iso-2022-kr"),
        (JAPANESE, "iso-2022-jp"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "utf-7"),
        (THAI, "tis-620"),
        ("café “naïve”", "windows-1252"),
        ("café", "utf-8"),
        ("café", "utf-16"),
    ],
)
def test_declared_charsets_are_decoded(text, charset):
    assert decode(text.encode(charset), charset) == text


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        (CHINESE, "gb2312"),
        (KOREAN, "euc-kr"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        ("純商業辦公室出租，專門服務商用辦公室之承租人，歡迎來電洽詢。", "big5"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp1251"),
        (THAI, "tis-620"),
        (TURKISH, "cp1254"),
        (CHINESE, "utf-8"),
        ("déjà vu à l'école, où l'été s'achève là-bas", "cp1252"),
        ("“quoted” – and dashed…", "cp1252"),
    ],
)
@pytest.mark.parametrize("declared", [None, "us-ascii", "iso-8859-1", "x-unknown"])
def test_undeclared_charsets_are_recognised(text, charset, declared):
    assert decode(text.encode(charset), declared) == text


def test_the_charset_of_the_subject_is_a_hint():
    assert decode("hr\u00e1\u010dek".encode("cp1250"), None, "windows-1250") == "hráček"


def test_a_damaged_byte_does_not_change_the_charset():
    data = bytearray(KOREAN.encode("euc-kr") * 10)
    del data[len(data) // 2]
    text = decode(bytes(data), "euc-kr")
    assert text.startswith(KOREAN)
    assert "\ufffd" not in text


def test_a_wrong_declaration_is_not_believed():
    assert decode(RUSSIAN.encode("koi8-r"), "utf-8") == RUSSIAN


@given(
    st.binary(max_size=200), st.sampled_from([None, "utf-8", "utf-7", "gb2312", "hz", "iso-2022-jp", "zip", "utf-32"])
)
def test_any_bytes_become_text_without_surrogates(data, declared):
    decode(data, declared, "big5").encode("utf-8")
