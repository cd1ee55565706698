"""Line and bar charts as SVG. Data stand in unit coordinates, and one transformation places them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textnb.report.page.markup import Html, join, tag

WIDTH, HEIGHT = 460, 320
LEFT, RIGHT, TOP, BOTTOM = 74, 28, 12, 48
Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`; `ticks` are positions between 0 and 1 and what is written at them."""

    title: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]

    def unit(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


def share_axis(title: str, low: float = 0.0) -> Axis:
    """From `low` to 1, with five ticks."""
    return Axis(title, low, 1.0, [(step / 5, f"{low + (1 - low) * step / 5:.3g}") for step in range(6)])


def chart(label: str, x: Axis, y: Axis, *marks: Html, **attributes: str) -> Html:
    """A frame with axes around marks in unit coordinates."""
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    grid = [_line("grid", [(0.0, position), (1.0, position)]) for position, _ in y.ticks]
    frame = f"translate({LEFT} {TOP + height}) scale({width} {-height})"
    return tag(
        "svg",
        tag("g", grid, *marks, transform=frame),
        [_text(written, LEFT + position * width, HEIGHT - BOTTOM + 18, "middle") for position, written in x.ticks],
        [_text(written, LEFT - 8, TOP + (1 - position) * height + 4, "end") for position, written in y.ticks],
        _text(x.title, LEFT + width / 2, HEIGHT - 6, "middle", "axis"),
        tag(
            "text",
            y.title,
            transform=f"translate(12 {TOP + height / 2:g}) rotate(-90)",
            text_anchor="middle",
            class_="axis",
        ),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=label,
        class_="chart",
        **attributes,
    )


def line(kind: str, points: Iterable[Point]) -> Html:
    return _line(f"line {kind}", points)


def dots(kind: str, points: Iterable[Point]) -> Html:
    """Round dots of a size on the screen: strokes without length."""
    path = "".join(f"M{_pair(point)}h0" for point in points)
    return tag("path", d=path, class_=f"dots {kind}", vector_effect="non-scaling-stroke")


def bars(heights: Sequence[float], gap: float = 0.15) -> Html:
    """Bars of equal width, side by side from left to right."""
    step = 1 / len(heights)
    return join(
        tag(
            "rect",
            x=f"{step * (position + gap / 2):.5g}",
            y=0,
            width=f"{step * (1 - gap):.5g}",
            height=f"{height:.5g}",
            class_="bar",
        )
        for position, height in enumerate(heights)
    )


def band(points: Sequence[tuple[float, float, float]]) -> Html:
    """An area between two lines: x, low, high."""
    upper = [_pair((x, high)) for x, _, high in points]
    lower = [_pair((x, low)) for x, low, _ in reversed(points)]
    return tag("polygon", points=" ".join([*upper, *lower]), class_="band")


def interval_bar(value: float, low: float, high: float, start: float) -> Html:
    """A figure with its interval on a small scale from `start` to 1."""
    width, height = 160, 16

    def at(share: float) -> str:
        return f"{4 + (width - 8) * (min(max(share, start), 1) - start) / (1 - start):.1f}"

    middle = height / 2
    return tag(
        "svg",
        tag("path", d=f"M4 {middle:g}H{width - 4}", class_="grid"),
        tag("path", d=f"M{at(low)} {middle:g}H{at(high)}", class_="whisker"),
        tag("circle", cx=at(value), cy=f"{middle:g}", r=3.5, class_="point"),
        viewBox=f"0 0 {width} {height}",
        class_="interval-bar",
        aria_hidden="true",
    )


def _line(kind: str, points: Iterable[Point]) -> Html:
    path = " ".join(map(_pair, points))
    return tag("polyline", points=path, class_=kind, vector_effect="non-scaling-stroke")


def _pair(point: Point) -> str:
    return f"{point[0]:.5g},{point[1]:.5g}"


def _text(written: str, x: float, y: float, anchor: str, kind: str = "tick") -> Html:
    return tag("text", written, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, class_=kind)
