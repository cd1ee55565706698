"""HTML to what a browser shows, what it hides, and where it leads."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from without_kernel import without_kernel

from textnb.compiled import compiled_kernel
from textnb.text.mail.entities import unescape
from textnb.text.mail.markup import find_attributes, read_html

_PIECES = """
< > </ <! <!-- --> --!> - ! = " ' / ? a b1 ſ é 中 😀 \ud800 <script script> </SCRIPT <style> </style> <scripté <p> <br>
</p> <font </font> <div </div> <a <img <td href= style= color= COLOR=white bgcolor="black" style='display:none' alt='x'
src = x &amp; &#65; & hidden HIDDEN= <title> </title> <table> </table> <tr> <ul> <li> class=c id=i
<style>.c{display:none}</style> <style>#i,td{color:#fff} textarea>
"""
MARKUP = st.lists(st.sampled_from([*_PIECES.split(), " ", "\n", "\x1c", "\xa0", "k" * 32]), max_size=40).map("".join)


def shown(html):
    return read_html(html).visible.split()


def hidden(html):
    return read_html(html).hidden.split()


@given(MARKUP | st.text(max_size=40))
@example("<!-->a-->b")
@example("<!--->a--!>b")
@example("<a href='x>y\"z")
@example("<" + "a" * 40 + " " + "b" * 40 + "=c>d")
@example("<textarea>a</textarea b>c<noframes>d</NOFRAMESe>f<template")
@example("<p color=white><p>a</div>b</p>c</p>d")
@example("<p a= hidden>b<p hidden=''>c<p a='b'hidden>d<p overflow=hidden>e<p aria-hidden>f<p/hidden/>g")
@example("<td hidden>a<table><tr><td>b</table>c<td>d")
def test_the_kernel_reads_markup_as_python_does(html):
    with without_kernel():
        expected = read_html(html)
    assert read_html(html) == expected


@given(MARKUP | st.text(max_size=40))
@example("-" * 40 + "=b")
@example("color = > color='white color=\"x")
def test_the_kernel_finds_attributes_as_python_does(text):
    kernel = compiled_kernel()
    if kernel is None:
        pytest.skip("the kernel is optional and was not compiled")
    names = frozenset({"a", "href", "style", "color", "bgcolor", "alt", "src", "k" * 30, "-" * 30})
    assert kernel.mail_attributes(text, names) == find_attributes(text, names)


def test_words_split_by_tags_and_comments_are_whole():
    assert shown("FR<!-- x -->EE V<b>I</b>AGRA") == ["FREE", "VIAGRA"]


def test_tags_that_break_the_line_separate_words():
    assert shown("one<br>two<p>three</p>four<td>five") == ["one", "two", "three", "four", "five"]


def test_a_tag_ends_outside_quotes():
    assert shown('a<img title="x > y">b') == ["ab"]
    assert shown("it's <a title=don't>fine</a> isn't it") == ["it's", "fine", "isn't", "it"]


def test_scripts_and_styles_are_not_shown():
    html = "a<style>b{}</style>c<SCRIPT>if (x < y) d()</script >e<style>f"
    assert shown(html) == ["ace"]


def test_alternative_texts_of_images_are_read():
    assert shown("<img alt='Buy now' src=x>") == ["Buy", "now"]


def test_links_are_collected_once():
    html = "<a href='http://a.example/?x=1&amp;y=2'>1</a><img src=http://b.example><a href='http://a.example/?x=1&amp;y=2'>"
    assert read_html(html).links == ["http://a.example/?x=1&y=2", "http://b.example"]


@pytest.mark.parametrize(
    "style",
    [
        "style='display:none'",
        'style="DISPLAY : none"',
        "style='visibility: hidden'",
        "style='font-size:0'",
        "style='font-size: 1px; color: red'",
        "style='font-size:0.1em'",
        "style='opacity:0'",
        "style='mso-hide:all'",
        "style='color:#fff'",
        "style='color: rgb(255, 255, 250)'",
        "color=white",
        "color='#FEFEFE'",
        "hidden",
        "HIDDEN=until-found",
        "title='a'hidden",
        "style='position:absolute;left:-9999px'",
        "style='position: fixed; top: -999px'",
        "style='text-indent:-9999px'",
        "style='height:0;overflow:hidden'",
        "style='width:0px;overflow:hidden'",
        "style='max-height:0px;overflow:hidden'",
        "style='color:transparent'",
        "style='font:1px arial'",
        "style='display:/* */none'",
        "style='display:none!important'",
    ],
)
def test_hidden_text_is_kept_apart(style):
    html = f"see <font {style}>decoy <b>words</b></font> this"
    assert shown(html) == ["see", "this"]
    assert hidden(html) == ["decoy", "words"]


@pytest.mark.parametrize(
    "html",
    [
        "<font color=red>word</font>",
        "<p style='font-size:10px'>word",
        "<p style='font-size:12pt;font-size:100%'>word",
        "<body bgcolor=black text=white>word",
        "<td bgcolor=navy><font color=white>word</font></td>",
        "<div style='background:#003'><span style='color:#fff'>word</span></div>",
        "<table background=night.gif><font color=white>word",
        "<div style='display:none'></div>word",
        "<div style='display:none'><div></div></div>word",
        "<p style='opacity:0.9'>word",
        "<font color=unheard-of>word",
        "<p style='font-size:1em'>word",
        "<p style='font-size:0'><span style='font-size:14px'>word</span>",
        "<p style='visibility:hidden'><span style='visibility:visible'>word</span>",
        "<p style='display:none;display:block'>word",
        "<p style='overflow:hidden'>word",
        "<p style='position:absolute;left:-9px'>word",
        "<p class=hidden aria-hidden=true title = hidden>word",
        "<textarea>word</textarea>",
        "<!-->word",
        "<!--->word",
        "<style>.a:hover{display:none} .b .a{display:none}</style><p class=a>word",
        "<style>@media print{.a{display:none}} @media (max-width:480px){.a{display:none}}</style><p class=a>word",
        "<style media=print>p{display:none}</style><p>word",
        "<!--<style>p{display:none}</style>--><p>word",
        "<style>/* p{display:none} */</style><p>word",
        "<style>td{display:none}</style><td style='display:block'>word",
        "<style>.a{color:#fff;background:#00f}</style><p class=a>word",
    ],
)
def test_visible_text_is_not_taken_for_hidden(html):
    assert shown(html) == ["word"]
    assert hidden(html) == []


@pytest.mark.parametrize(
    "rule",
    [
        ".decoy{display:none}",
        "<!-- b, .decoy { DISPLAY : none } -->",
        "font.decoy{visibility:hidden}",
        "#one{font-size:1px}",
        "font{opacity:0}",
        "body .decoy{color:#fff}",
        "@import 'x'; .decoy{color:white}",
        "@media screen{.other{color:red} .decoy{position:absolute;left:-9999px}}",
        "@media print{.decoy{display:block}} .decoy{height:0;overflow:hidden}",
        ".a{b:c}" * 9000 + ".decoy{display:none}",
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_style_sheets_hide_text_wherever_they_stand(rule, place):
    sheet = f"<style type='text/css'>{rule}</style>"
    html = "see <font id=one class='x decoy'>decoy <b>words</b></font> this"
    html = html + sheet if place else sheet + html
    assert (shown(html), hidden(html)) == (["see", "this"], ["decoy", "words"])


def test_a_title_is_not_part_of_the_text():
    assert (shown("<title>decoy</title>word"), hidden("<title>decoy</title>word")) == (["word"], ["decoy"])


def test_the_alternative_text_of_a_hidden_image_is_hidden():
    assert (shown("<img alt=decoy hidden>word"), hidden("<img alt=decoy hidden>word")) == (["word"], ["decoy"])


@pytest.mark.parametrize("name", ["p", "td", "tr", "li", "dd", "dt"])
def test_an_element_ends_the_one_of_its_like_before_it(name):
    html = f"<{name} style=display:none>decoy<{name}>word"
    assert (shown(html), hidden(html)) == (["word"], ["decoy"])


@pytest.mark.parametrize("inner", ["<table><tr><td>words</table>", "<ul><li>words</ul>", "<b>words</b>"])
def test_what_is_inside_a_hidden_cell_or_item_does_not_end_it(inner):
    for name in ("td", "li"):
        html = f"<{name} style=display:none>decoy {inner} again</{name}>word"
        assert (shown(html), hidden(html)) == (["word"], ["decoy", "words", "again"])


def test_text_is_hidden_by_its_background():
    html = "<body bgcolor='#000000' text='#ffffff'>a <font color=black>b </font>c <table bgcolor=white>d </table>e"
    assert (shown(html), hidden(html)) == (["a", "c", "e"], ["b", "d"])


def test_closing_tags_end_the_hidden_text_they_belong_to():
    html = "<div style='display:none'>a<div>b</div>c</div>d</div>e"
    assert (shown(html), hidden(html)) == (["d", "e"], ["a", "b", "c"])


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a&amp;b &lt; &#65;&#x42;&#0067; &eacute;&copy &unknown; &", "a&b < ABC é© &unknown; &"),
        ("&#147;hi&#148;", "“hi”"),
        ("a&#xD800;b&#0;c&#x7fffffff;", "a b c "),
    ],
)
def test_character_references_are_resolved(text, plain):
    assert unescape(text) == plain


@pytest.mark.parametrize("tag", ["div", "b", "table><tr><td", "span style='color:red'"])
def test_deeply_nested_text_is_read(tag):
    assert shown(f"<{tag}>" * 10_000 + "buy now") == ["buy", "now"]
