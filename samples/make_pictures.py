"""Make every picture of the samples again: `python samples/make_pictures.py`.

The pictures are drawn from fixed seeds; the same files come out each time with the same Pillow.
"""

from __future__ import annotations

import io
from pathlib import Path

import country
import numpy as np
import scenes
import things
from painting import encoded, noise, rgb
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent
MOST = 60_000


def save(name: str, data: bytes | str) -> None:
    """Write one file, refusing one that would make the repository heavy."""
    raw = data.encode() if isinstance(data, str) else data
    if len(raw) > MOST:
        raise SystemExit(f"{name}: {len(raw)} bytes, more than {MOST}")
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def photo(name: str, picture: Image.Image, quality: int = 58, width: int = 0) -> None:
    """Save a photograph in the format its name says, as good as the limit allows."""
    if width:
        picture = picture.resize(
            (width, picture.height * width // picture.width), Image.Resampling.LANCZOS
        )
    kind = {"jpg": "JPEG", "webp": "WEBP", "avif": "AVIF"}[name.rsplit(".", 1)[1]]
    while len(data := encoded(picture, kind, quality)) > MOST:
        quality -= 4
    save(name, data)


def flat(name: str, picture: Image.Image) -> None:
    """Save a drawing with few colours as PNG or GIF."""
    out = io.BytesIO()
    kind = name.rsplit(".", 1)[1].upper()
    picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(out, kind, optimize=True)
    save(name, out.getvalue())


def words(
    pen: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: float, colour: str
) -> None:
    pen.text(at, text, font=ImageFont.load_default(size), fill=rgb(colour), anchor="mm")


def advertisement(
    size: tuple[int, int], ground: str, ink: str, lines: list[str], button: str
) -> Image.Image:
    """Draw a banner: a loud ground, a few words, a button."""
    picture = Image.new("RGB", size, rgb(ground))
    pen = ImageDraw.Draw(picture)
    wide, high = size
    pen.ellipse(
        [wide * 0.7, -high * 0.6, wide * 1.2, high * 0.9],
        fill=tuple(min(255, c + 28) for c in rgb(ground)),
    )
    tall = wide < high * 2
    letter = wide / 11 if tall else high / 3.4
    for index, line in enumerate(lines):
        place = (
            (wide / 2, high * (0.22 + index * 0.15))
            if tall
            else (wide * 0.38, high * (0.34 + index * 0.34))
        )
        words(pen, place, line, letter if index == 0 else letter * 0.72, ink)
    middle = (wide / 2, high * 0.8) if tall else (wide * 0.86, high / 2)
    half = (wide * 0.28, high * 0.07) if tall else (wide * 0.1, high * 0.24)
    corners = [middle[0] - half[0], middle[1] - half[1], middle[0] + half[0], middle[1] + half[1]]
    pen.rounded_rectangle(corners, radius=6, fill=rgb("ffd23f"))
    words(pen, middle, button, letter * 0.5, "222222")
    pen.rectangle([0, 0, wide - 1, high - 1], outline=rgb("999999"))
    return picture


def blinking(name: str, frames: list[Image.Image]) -> None:
    """Save an animated banner."""
    out = io.BytesIO()
    small = [frame.convert("P", palette=Image.Palette.ADAPTIVE, colors=32) for frame in frames]
    small[0].save(out, "GIF", save_all=True, append_images=small[1:], duration=900, loop=0)
    save(name, out.getvalue())


def avatar(
    name: str, seed: int, ground: str, skin: str, hair: str, coat: str, size: int = 96
) -> None:
    """Draw a head and shoulders."""
    rng = np.random.default_rng(seed)
    picture = Image.new("RGB", (size * 4, size * 4), rgb(ground))
    pen = ImageDraw.Draw(picture)
    unit = size * 4 / 100
    pen.ellipse([x * unit for x in (12, 70, 88, 140)], fill=rgb(coat))
    pen.rectangle([x * unit for x in (42, 56, 58, 76)], fill=rgb(skin))
    pen.ellipse([x * unit for x in (27, 12, 73, 52)], fill=rgb(hair))
    pen.ellipse([x * unit for x in (31, 20, 69, 68)], fill=rgb(skin))
    pen.chord([x * unit for x in (29, 14, 71, 54)], 180, 360 - rng.integers(0, 30), fill=rgb(hair))
    for x in (42, 58):
        pen.ellipse([(x - 2) * unit, 41 * unit, (x + 2) * unit, 45 * unit], fill=rgb("2a2220"))
    pen.arc(
        [x * unit for x in (42, 46, 58, 58)], 20, 160, fill=rgb("7a3b32"), width=int(unit * 1.5)
    )
    flat(name, picture.resize((size, size), Image.Resampling.LANCZOS))


def deed() -> Image.Image:
    """Draw a surveyor's plan of a street: houses, numbered plots and the shade at three hours."""
    rng = np.random.default_rng(21)
    paper = np.array(rgb("ecdfc0")) / 255 * (0.86 + 0.2 * noise(rng, 1000, 640, 120, 5)[..., None])
    picture = Image.fromarray((np.clip(paper, 0, 1) * 255).astype(np.uint8))
    pen = ImageDraw.Draw(picture, "RGBA")
    for side, top in ((0, 110), (1, 400)):
        x = 70
        for index in range(7):
            wide = int(rng.integers(95, 140))
            box = [x, top, min(x + wide, 930), top + 130]
            pen.rectangle(box, outline=(70, 45, 25), width=3, fill=(190, 150, 100, 60))
            for line in range(box[0] + 8, box[2], 9):
                pen.line([(line, box[1] + 4), (line - 4, box[3] - 4)], fill=(120, 85, 50, 70))
            words(pen, ((box[0] + box[2]) / 2, top + 64), str(index * 2 + 1 + side), 30, "5a3218")
            x += wide
            if x > 900:
                break
    for reach, colour in (
        (120, (60, 80, 110, 60)),
        (75, (60, 80, 110, 70)),
        (35, (40, 60, 90, 90)),
    ):
        pen.polygon(
            [
                (70, 240),
                (930, 240),
                (930 - reach // 2, 240 + reach),
                (70 - reach // 2, 240 + reach),
            ],
            fill=colour,
        )
    for reach, hour in ((18, "noon"), (55, "third bell"), (98, "fourth bell")):
        words(pen, (860, 240 + reach), hour, 19, "2f2418")
    words(pen, (500, 46), "PLAN OF THE SHADE IN THE STREET OF THE TINKERS", 30, "4a2c16")
    words(pen, (500, 602), "surveyed at midsummer, scale one pace to the finger", 21, "4a2c16")
    pen.rectangle([24, 18, 976, 622], outline=(90, 60, 35), width=3)
    return picture


def chart() -> Image.Image:
    """Draw how much red, green and blue a water film sends back, against its thickness."""
    picture = Image.new("RGB", (900, 480), "white")
    pen = ImageDraw.Draw(picture)
    left, right, top, low = 90, 870, 30, 400
    for step in range(6):
        x, y = left + (right - left) * step / 5, low - (low - top) * step / 5
        pen.line([(x, top), (x, low)], fill=rgb("e2e4e6"))
        pen.line([(left, y), (right, y)], fill=rgb("e2e4e6"))
        words(pen, (x, low + 22), f"{step * 100}", 19, "444444")
        words(pen, (left - 32, y), f"{step * 20} %", 19, "444444")
    thick = np.linspace(0, 500, 400)
    for wave, colour in ((650, "c0392b"), (530, "2e8b57"), (450, "2f5fb3")):
        bright = np.sin(2 * np.pi * 1.33 * thick / wave) ** 2
        points = [
            (left + (right - left) * t / 500, low - (low - top) * b)
            for t, b in zip(thick, bright, strict=True)
        ]
        pen.line(points, fill=rgb(colour), width=4, joint="curve")
    pen.rectangle([left, top, right, low], outline=rgb("777777"), width=2)
    words(pen, (480, 455), "film thickness in nanometres", 22, "222222")
    return picture


def tiles(size: int, seed: int, one: str, two: str) -> Image.Image:
    rng = np.random.default_rng(seed)
    grey = noise(rng, size, size, size / 6, 3)[..., None]
    return Image.fromarray(
        (np.array(rgb(one)) * (1 - grey) + np.array(rgb(two)) * grey).astype(np.uint8)
    )


def sign(size: tuple[int, int], ground: str, ink: str, text: str, letter: int) -> Image.Image:
    picture = Image.new("RGB", size, rgb(ground))
    words(ImageDraw.Draw(picture), (size[0] / 2, size[1] / 2), text, letter, ink)
    return picture


def tracker(name: str) -> None:
    out = io.BytesIO()
    Image.new("P", (1, 1), 0).save(out, "GIF", transparency=0)
    save(name, out.getvalue())


LOGO = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} 40" width="{wide}" height="40">
<circle cx="20" cy="20" r="17" fill="{colour}"/>
<path d="M8 24q6-7 12 0t12 0" fill="none" stroke="#fff" stroke-width="3"/>
<text x="46" y="28" font-family="serif" font-size="24" font-weight="bold" fill="#222">{text}</text>
</svg>
"""

BACKOFF = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 280" width="660" height="280">
<rect width="660" height="280" fill="#f7f8fa"/>
<path d="M50 220H640" stroke="#889" stroke-width="1.5"/>
<path d="M50 40H640" stroke="#c0392b" stroke-dasharray="6 5"/>
<g fill="#4a6fa5">{bars}</g>
<g font-family="sans-serif" font-size="14" text-anchor="middle" fill="#334">{labels}
<text x="345" y="268">before attempt</text></g>
<text x="60" y="32" font-family="sans-serif" font-size="13" text-anchor="start"
 fill="#c0392b">cap: 30 s</text>
</svg>
"""


def logo(name: str, colour: str, text: str, wide: int) -> None:
    save(name, LOGO.format(colour=colour, text=text, wide=wide))


def backoff(name: str) -> None:
    """Draw the waits of a retry policy as an SVG bar chart."""
    bars, labels = "", ""
    for index, wait in enumerate((1, 2, 4, 8, 16, 30)):
        x, high = 90 + index * 92, wait * 6
        bars += f'<rect x="{x}" y="{220 - high}" width="52" height="{high}" rx="3"/>'
        labels += f'<text x="{x + 26}" y="{212 - high}">{wait} s</text>'
        labels += f'<text x="{x + 26}" y="242">{index + 2}</text>'
    save(name, BACKOFF.format(bars=bars, labels=labels))


def news() -> None:
    dusk = scenes.harbour(960, 600, "dusk", 1)
    photo("news/img/harbour-960.jpg", dusk, 64)
    photo("news/img/harbour-480.jpg", dusk, 60, 480)
    photo("news/img/harbour-960.webp", dusk, 50)
    photo("news/img/harbour-960.avif", dusk, 45)
    photo("news/img/ferry.jpg", scenes.ferry(900, 600, 3))
    photo("news/img/market.jpg", scenes.market(900, 600, 4, sun=False))
    for index, (sky, seed) in enumerate((("noon", 16), ("dull", 17), ("dusk", 18)), 1):
        photo(f"news/img/related-{index}.jpg", country.terraces(240, 160, sky, seed))
    avatar("news/img/reporter.png", 1, "dfe6ea", "d9a98a", "5a3a28", "37536b")
    logo("news/img/logo.svg", "#1f4d6b", "The Kestermouth Tide", 340)
    blinking(
        "news/img/leaderboard.gif",
        [
            advertisement(
                (728, 90),
                "b3202c",
                "ffffff",
                ["GLIMMERGLASS WINDOWS", "Half price until Sunday"],
                "Call now",
            ),
            advertisement(
                (728, 90),
                "20409a",
                "ffffff",
                ["GLIMMERGLASS WINDOWS", "No draughts. No nonsense."],
                "Call now",
            ),
        ],
    )
    flat(
        "news/img/square.png",
        advertisement(
            (300, 250),
            "136f5b",
            "ffffff",
            ["Zipfen Broadband", "Twice the speed", "of last year"],
            "Switch",
        ),
    )
    tracker("news/img/px.gif")


def other_pages() -> None:
    photo("embeds/img/gap.jpg", scenes.ferry(960, 540, 23), 60)
    photo("essay/img/lane.jpg", scenes.lane(800, 1000, 5))
    photo("essay/img/deed.jpg", deed(), 50)
    dish = things.pan(900, 600, 9)
    photo("recipe/img/pan-900.jpg", dish)
    photo("recipe/img/pan-450.jpg", dish, 55, 450)
    photo("recipe/img/barley.webp", things.pan(900, 600, 19, raw=True), 50)
    avatar("recipe/img/cook.png", 5, "f3e2d0", "8a5a3c", "1d1614", "a8483a")
    flat(
        "recipe/img/knives.png",
        advertisement(
            (300, 250), "222831", "ffffff", ["SNICK KNIVES", "Sharp for life", "or nearly"], "Shop"
        ),
    )
    photo("recipe/img/more-1.jpg", things.pan(240, 160, 23, raw=True))
    photo("recipe/img/more-2.jpg", scenes.market(240, 160, 24))
    backoff("docs/img/backoff.svg")
    logo("docs/img/drover.svg", "#4a6fa5", "drover", 140)
    photo("script/img/signal-box.jpg", country.signal_box(900, 600, 10))
    photo("script/img/levers.jpg", things.levers(900, 600, 11))
    photo("arabic/img/town.jpg", scenes.hill_town(900, 600, 6))
    photo("arabic/img/market.webp", scenes.market(900, 600, 26), 50)
    blinking(
        "arabic/img/banner.gif",
        [
            advertisement((468, 60), colour, "ffffff", ["SALE"], "%")
            for colour in ("8e2f6b", "2f6b8e")
        ],
    )
    photo("japanese/img/bay.jpg", country.fog_bay(960, 600, 7))
    case = things.type_case(900, 600, 8)
    photo("japanese/img/case.avif", case, 42)
    photo("japanese/img/case.jpg", case, 34, 720)
    flat(
        "japanese/img/ad.png",
        advertisement((300, 250), "c8442e", "ffffff", ["50% OFF", "TODAY"], "GO"),
    )
    photo("science/img/film.jpg", things.soap_film(800, 800, 12), 66)
    flat("science/img/reflection.png", chart())
    avatar("science/img/author.png", 8, "e3ecdf", "c99a78", "8a7a6a", "4d6b57")


def old_web() -> None:
    organ = things.harmonium(720, 540, 13)
    photo("oldweb/img/harmonium.jpg", organ, 55)
    intact = encoded(things.harmonium(600, 450, 33), "JPEG", 60)
    save("oldweb/img/reeds.jpg", intact[:300])  # cut off inside its header
    tracker("oldweb/img/spacer.gif")
    flat("oldweb/img/tile.gif", tiles(96, 40, "e9dfc6", "f4ecd8"))
    blinking(
        "oldweb/img/new.gif",
        [
            sign((44, 18), one, two, "NEW!", 13)
            for one, two in (("cc0000", "ffff66"), ("ffff66", "cc0000"))
        ],
    )
    flat("oldweb/img/counter.gif", sign((88, 20), "000000", "33ff33", "0 0 4 1 7 2 9", 13))
    flat(
        "oldweb/img/webring.gif",
        advertisement((468, 60), "4b0082", "ffffff", ["REED ORGAN WEBRING"], "Next"),
    )


def small_ones() -> None:
    for index, (ground, skin, hair, coat) in enumerate(
        (
            ("cfd8dc", "c99a78", "3b2a20", "455a64"),
            ("ffe0b2", "8a5a3c", "1c1512", "bf6f30"),
            ("c8e6c9", "ecc6a4", "b5651d", "2e7d32"),
            ("d1c4e9", "dcb394", "9e9e9e", "512da8"),
        ),
        1,
    ):
        avatar(f"forum/img/avatar-{index}.png", index * 7, ground, skin, hair, coat, 80)
    photo("forum/img/kettle.jpg", things.kettle(800, 600, 15), 60)
    flat(
        "forum/img/banner.png",
        advertisement(
            (728, 90), "5d4037", "ffffff", ["TEA BY THE TONNE", "Free delivery inland"], "Sip"
        ),
    )
    photo("scripts/img/rain.webp", things.rain(960, 600, 14), 55)
    photo("scripts/img/rain-small.jpg", things.rain(960, 600, 14), 40, 320)


def formula(name: str, text: str, size: tuple[int, int]) -> None:
    """Save a formula as a web site pictures it: small, grey at its edges, of no use on paper."""
    picture = Image.new("RGB", size, "white")
    words(ImageDraw.Draw(picture), (size[0] / 2, size[1] / 2), text, 14, "333333")
    flat(name, picture)


def later_ones() -> None:
    formula("maths/img/square.png", "x2 = x + 1", (90, 20))
    formula("maths/img/golden.png", "(1 + V5) / 2,  (1 - V5) / 2", (220, 36))
    photo("hebrew/img/lane.jpg", scenes.lane(600, 800, 41), 56)
    photo("player/img/ferry.jpg", scenes.ferry(960, 600, 52), 54)
    photo("folded/img/bay.jpg", country.fog_bay(960, 600, 61), 56)


def main() -> None:
    news()
    other_pages()
    old_web()
    small_ones()
    later_ones()
    files = [path for path in HERE.glob("*/img/*") if path.is_file()]
    print(f"{len(files)} pictures, {sum(path.stat().st_size for path in files):,} bytes")


if __name__ == "__main__":
    main()
