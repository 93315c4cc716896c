"""Colours between colours, and colours for terminals with fewer of them; loaded where a theme needs either."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohud.run.style import Colour


def between(number: "int | float", stops: "Sequence[Colour]") -> "Colour":
    """The colour that stands at a number from 0 to 100 between the stops, of which there is at least one."""
    place = min(100.0, max(0.0, number)) / 100 * (len(stops) - 1)
    low = min(int(place), len(stops) - 2) if len(stops) > 1 else 0
    first, last = rgb(stops[low]), rgb(stops[min(low + 1, len(stops) - 1)])
    share = place - low
    red, green, blue = [round(a + (b - a) * share) for a, b in zip(first, last, strict=True)]
    return red, green, blue


def rgb(colour: "Colour") -> tuple[int, int, int]:
    """Red, green and blue as xterm shows them."""
    if type(colour) is tuple:
        return colour
    assert type(colour) is int
    if colour < 16:
        level = 255 if colour > 8 else 127 if colour == 8 else 205
        bits = 7 if colour in (-1, 8) else colour & 7
        return level * (bits & 1), level * (bits >> 1 & 1), level * (bits >> 2)
    if colour > 231:
        grey = 10 * (colour - 232) + 8
        return grey, grey, grey
    red, green, blue = (colour - 16) // 36, (colour - 16) // 6 % 6, (colour - 16) % 6
    return red and 40 * red + 55, green and 40 * green + 55, blue and 40 * blue + 55


def nearest(colour: "Colour", depth: int) -> "Colour":
    """The colour of a terminal of that depth [bits] that is nearest."""
    if depth < 8:
        return _of_16(*rgb(colour)) if type(colour) is tuple or (type(colour) is int and colour > 15) else colour
    if depth < 24 and type(colour) is tuple:
        return _of_256(*colour)
    return colour


def _of_256(red: int, green: int, blue: int) -> int:
    def step(level: int) -> int:
        return 0 if level < 48 else 1 if level < 115 else (level - 35) // 40

    def distance(colour: int) -> int:
        r, g, b = rgb(colour)
        return (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2

    cube = 16 + 36 * step(red) + 6 * step(green) + step(blue)
    grey = 232 + min(23, max(0, ((red + green + blue) // 3 - 3) // 10))
    return cube if distance(cube) <= distance(grey) else grey


def _of_16(red: int, green: int, blue: int) -> int:
    """The ANSI colour of the same hue: pastels stay coloured, where the nearest by distance would be a grey."""
    high, low = max(red, green, blue), min(red, green, blue)
    if high - low < 40:
        return 0 if high < 48 else 8 if high < 144 else 7 if high < 230 else 15
    line = (high + low) * 9 // 20
    return (red > line) + 2 * (green > line) + 4 * (blue > line) + 8 * (high > 214)
