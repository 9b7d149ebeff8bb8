"""The towns the samples show: each function paints one picture."""

from __future__ import annotations

import numpy as np
from painting import SKIES, Shapes, blend, clouds, develop, glow, gradient, noise, ridge, water
from PIL import Image


def boat(art: Shapes, x: float, y: float, size: float, hull: str, sail: bool = False) -> None:
    art.polygon(
        [
            (x - size, y - size * 0.18),
            (x + size * 1.15, y - size * 0.26),
            (x + size * 0.85, y + size * 0.1),
            (x - size * 0.8, y + size * 0.1),
        ],
        hull,
    )
    art.line(
        [(x - size, y - size * 0.19), (x + size * 1.15, y - size * 0.27)], "efe9dc", size * 0.05
    )
    art.line(
        [(x + size * 0.1, y - size * 0.2), (x + size * 0.1, y - size * 2.2)], "3b3630", size * 0.035
    )
    if sail:
        art.polygon(
            [
                (x + size * 0.14, y - size * 2.1),
                (x + size * 0.14, y - size * 0.4),
                (x + size, y - size * 0.4),
            ],
            "e8dcc2",
        )
    else:
        art.box(x - size * 0.7, y - size * 0.62, size * 0.62, size * 0.42, "d8d3c6")
        art.box(x - size * 0.6, y - size * 0.55, size * 0.16, size * 0.17, "31404a")
        art.box(x - size * 0.35, y - size * 0.55, size * 0.16, size * 0.17, "31404a")
        art.line(
            [(x + size * 0.1, y - size * 2.0), (x + size, y - size * 0.28)], "3b3630", size * 0.012
        )


def house(
    art: Shapes,
    rng: np.random.Generator,
    x: float,
    y: float,
    wide: float,
    high: float,
    wall: str,
    roof: str,
    lit: str = "2d3640",
) -> None:
    art.box(x, y - high, wide, high, wall)
    art.box(x + wide * 0.72, y - high, wide * 0.28, high, "000000", 38)
    peak = high * rng.uniform(0.22, 0.38)
    if roof:
        art.polygon(
            [
                (x - wide * 0.04, y - high),
                (x + wide * 0.5, y - high - peak),
                (x + wide * 1.04, y - high),
            ],
            roof,
        )
        art.box(x + wide * 0.7, y - high - peak * 0.9, wide * 0.1, peak * 0.7, roof)
    for row in range(max(1, int(high / 0.055))):
        for column in range(3):
            glass = lit if rng.random() < 0.45 else "2d3640"
            art.box(
                x + wide * (0.14 + column * 0.28),
                y - high + 0.016 + row * 0.052,
                wide * 0.15,
                0.028,
                glass,
            )


def row_of_houses(
    art: Shapes,
    rng: np.random.Generator,
    y: float,
    walls: list[str],
    roofs: list[str],
    lit: str,
    start: float = -0.02,
    end: float = 1.0,
    tall: float = 0.12,
) -> None:
    x = start
    while x < end:
        wide, high = rng.uniform(0.045, 0.075), rng.uniform(0.7, 1.15) * tall
        house(
            art,
            rng,
            x,
            y,
            wide,
            high,
            walls[rng.integers(len(walls))],
            roofs[rng.integers(len(roofs))],
            lit,
        )
        x += wide * rng.uniform(0.98, 1.1)


def harbour(
    width: int,
    height: int,
    sky: str,
    seed: int,
    *,
    fleet: int = 5,
    sails: bool = False,
    lamps: bool = True,
) -> Image.Image:
    """Paint a quay with houses, boats on the water and the hills behind."""
    rng = np.random.default_rng(seed)
    canvas = gradient(width, height, SKIES[sky])
    canvas = clouds(canvas, rng, 0.5, "ffd9b0" if sky == "dusk" else "f6f6f2", 0.8)
    if sky == "dusk":
        canvas = glow(canvas, 0.7, 0.5, 0.24, "ffe2a8", 0.8)
    canvas = ridge(canvas, rng, 0.43, 0.2, "5f6276" if sky == "dusk" else "8aa0a6", "6d7084")
    canvas = ridge(canvas, rng, 0.49, 0.16, "3f4358" if sky == "dusk" else "5d7a63", "55566a")
    art = Shapes(width, height)
    walls = (
        ["b7a58f", "9c8674", "c9bba6", "8d5a4a", "a89a94"]
        if sky == "dusk"
        else ["efe6d2", "d9b08c", "c96f4f", "e8cf8f", "a9bcc4"]
    )
    row_of_houses(
        art, rng, 0.6, walls, ["5a3f3a", "473a40", "6b4a3d"], "ffcf7a" if lamps else "51616b"
    )
    art.box(0, 0.597, 1, 0.03, "57504c")
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 9, 3))
    canvas = water(canvas, rng, 0.622, "2b3a4d" if sky == "dusk" else "3f6b80", 0.42)
    art = Shapes(width, height)
    hulls = ["23405e", "7c2f2a", "2f5446", "3c3c44", "8a6a3a"]
    for index in range(fleet):
        x, far = rng.uniform(0.05, 0.3) + index * 0.85 / fleet, rng.random()
        boat(
            art,
            x,
            0.67 + far * 0.2,
            0.035 + far * 0.055,
            hulls[index % 5],
            sails and index % 2 == 0,
        )
    canvas = art.onto(canvas, 0.3, noise(rng, width, height, 14, 3))
    return develop(canvas, rng)


def ferry(width: int, height: int, seed: int) -> Image.Image:
    """Paint a small car ferry with open decks under a dull sky."""
    rng = np.random.default_rng(seed)
    canvas = clouds(gradient(width, height, SKIES["dull"]), rng, 0.55, "ffffff", 0.9)
    canvas = ridge(canvas, rng, 0.48, 0.1, "75858a", "8a989a")
    canvas = ridge(canvas, rng, 0.52, 0.06, "4f6155", "67755f")
    canvas = water(canvas, rng, 0.56, "516a72", 0.6)
    art = Shapes(width, height)
    art.polygon(
        [(0.16, 0.56), (0.86, 0.56), (0.9, 0.53), (0.83, 0.66), (0.2, 0.66), (0.12, 0.53)], "1f4d46"
    )
    art.polygon([(0.13, 0.55), (0.89, 0.55), (0.9, 0.528), (0.12, 0.528)], "e9e6da")
    art.box(0.36, 0.4, 0.34, 0.13, "f1efe6")
    art.box(0.4, 0.31, 0.2, 0.09, "e4e0d2")
    art.box(0.36, 0.395, 0.34, 0.012, "b5533c")
    for index in range(9):
        art.box(0.375 + index * 0.036, 0.44, 0.022, 0.045, "2c3a42")
    for index in range(6):
        art.box(0.412 + index * 0.031, 0.335, 0.024, 0.035, "2c3a42")
    for index in range(5):
        art.box(
            0.205 + index * 0.03,
            0.5,
            0.024,
            0.028,
            ["9a3b33", "335588", "cccccc", "333333", "d8b04a"][index],
        )
    art.line([(0.5, 0.31), (0.5, 0.17)], "444444", 0.006)
    art.line([(0.5, 0.18), (0.17, 0.53)], "555555", 0.002)
    art.line([(0.5, 0.18), (0.86, 0.53)], "555555", 0.002)
    for index in range(18):
        x = 0.2 + index * 0.036 + rng.uniform(-0.008, 0.008)
        art.oval(x, 0.512 - (0.125 if 0.37 < x < 0.69 else 0), 0.004, 0.008, "5a4238")
        art.box(
            x - 0.005,
            0.517 - (0.125 if 0.37 < x < 0.69 else 0),
            0.01,
            0.022,
            ["34495e", "8e3b32", "c9a24b", "4d6b57"][index % 4],
        )
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 16, 3))
    foam = Shapes(width, height)
    for _ in range(260):
        x = rng.normal(0.5, 0.28)
        foam.oval(
            x, 0.665 + abs(rng.normal(0, 0.014)), rng.uniform(0.004, 0.02), 0.004, "eef2f0", 120
        )
    return develop(foam.onto(canvas, 1.2), rng)


def market(width: int, height: int, seed: int, *, sun: bool = True) -> Image.Image:
    """Paint a street of market stalls with awnings, heaps of fruit and people."""
    rng = np.random.default_rng(seed)
    canvas = gradient(width, height, SKIES["heat" if sun else "dull"])
    art = Shapes(width, height)
    row_of_houses(
        art,
        rng,
        0.62,
        ["e2c79c", "d9b48a", "c99b76", "ead9b8"]
        if sun
        else ["a9a29a", "c2b6a6", "8f7f76", "b9ada0"],
        ["" if sun else "6f4a3a"],
        "4a4a4a",
        tall=0.42,
    )
    canvas = art.onto(canvas, 1.6, noise(rng, width, height, 12, 4))
    ground = noise(rng, width, height, 30, 5)
    mask = np.clip((np.mgrid[0:height, 0:width][0] - height * 0.6) / 4, 0, 1)
    canvas = blend(canvas, "b49c7e" if sun else "7f7d7a", mask) * (
        1 - mask[..., None] * 0.35 * ground[..., None]
    )
    art = Shapes(width, height)
    fruit = ["d9762b", "b23a2e", "7c9a3e", "e3bc45", "6d4a6b", "c9cf7a"]
    for index in range(5):
        x = -0.04 + index * 0.215
        art.box(x + 0.01, 0.46, 0.006, 0.32, "4a3b30")
        art.box(x + 0.185, 0.46, 0.006, 0.32, "4a3b30")
        art.box(x + 0.012, 0.5, 0.178, 0.2, "2b211b", 150)
        pair = [
            ("b8433a", "f0e6d6"),
            ("3f6f7f", "ece7da"),
            ("d29a3c", "f3ead2"),
            ("4f7a52", "eee8d6"),
        ][index % 4]
        for stripe in range(8):
            a, b = x + stripe * 0.025, x + (stripe + 1) * 0.025
            slope = 0.014
            art.polygon(
                [(a + slope, 0.39), (b + slope, 0.39), (b - 0.004, 0.5), (a - 0.004, 0.5)],
                pair[stripe % 2],
            )
            art.oval((a + b) / 2 - 0.004, 0.5, 0.0125, 0.016, pair[stripe % 2])
        art.polygon([(x, 0.7), (x + 0.2, 0.7), (x + 0.21, 0.82), (x - 0.01, 0.82)], "6e5138")
        for heap in range(4):
            colour = fruit[rng.integers(6)]
            for _ in range(46):
                fx, fy = (
                    x + 0.03 + heap * 0.048 + rng.normal(0, 0.011),
                    0.71 - abs(rng.normal(0, 0.016)),
                )
                art.oval(fx, fy, 0.0085, 0.0125, colour)
                art.oval(fx - 0.002, fy - 0.004, 0.003, 0.004, "fff6dc", 110)
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 8, 3))
    art = Shapes(width, height)
    for index in range(9):
        person(
            art,
            rng,
            rng.uniform(0.02, 0.1) + index * 0.108,
            rng.uniform(0.84, 0.97),
            rng.uniform(0.3, 0.37),
        )
    return develop(art.onto(canvas, 0.6, noise(rng, width, height, 20, 4)), rng)


def person(art: Shapes, rng: np.random.Generator, x: float, y: float, tall: float) -> None:
    coat = ["3a4a5c", "7b3f38", "56604a", "c9b48c", "2d2d33", "86708c"][rng.integers(6)]
    skin = ["8a5a3c", "c99a78", "6b4630", "dcb394"][rng.integers(4)]
    art.oval(x, y, tall * 0.17, tall * 0.03, "1d1a17", 110)
    art.box(x - tall * 0.06, y - tall * 0.42, tall * 0.05, tall * 0.42, "2b2a2e")
    art.box(x + tall * 0.012, y - tall * 0.42, tall * 0.05, tall * 0.42, "333238")
    art.polygon(
        [
            (x - tall * 0.075, y - tall * 0.8),
            (x + tall * 0.075, y - tall * 0.8),
            (x + tall * 0.1, y - tall * 0.36),
            (x - tall * 0.1, y - tall * 0.36),
        ],
        coat,
    )
    art.oval(x, y - tall * 0.89, tall * 0.045, tall * 0.075, skin)
    art.oval(x, y - tall * 0.925, tall * 0.048, tall * 0.05, "2a211d")


def lane(width: int, height: int, seed: int, *, arch: bool = True) -> Image.Image:
    """Paint a narrow hot street between mud walls, half of it in shade."""
    rng = np.random.default_rng(seed)
    canvas = gradient(width, height, SKIES["heat"])
    art = Shapes(width, height)
    art.polygon([(0.42, 0.56), (0.58, 0.56), (1.1, 1.02), (-0.1, 1.02)], "d8bd8f")
    art.polygon([(0.42, 0.56), (0.47, 0.56), (0.42, 1.02), (-0.1, 1.02)], "6b5a4c")
    art.polygon([(0, 0), (0.42, 0.3), (0.42, 0.57), (0, 0.94)], "8d7258")
    art.polygon([(1, 0.02), (0.58, 0.3), (0.58, 0.57), (1, 0.94)], "e9cf9f")
    for index in range(5):
        near = index / 4
        x = 0.4 - near * 0.36
        y, high = 0.5 - near * 0.1 + 0.05 * near, 0.1 + near * 0.26
        art.polygon(
            [
                (x, y),
                (x - 0.02 - near * 0.03, y - 0.008),
                (x - 0.02 - near * 0.03, y + high),
                (x, y + high * 0.93),
            ],
            "3e2f25",
        )
        x = 0.61 + near * 0.34
        art.polygon(
            [
                (x, y - 0.05),
                (x + 0.012 + near * 0.02, y - 0.06),
                (x + 0.012 + near * 0.02, y + 0.03 + near * 0.04),
                (x, y + 0.03 + near * 0.03),
            ],
            "4b6a72",
        )
    if arch:
        for index, (left, right, y) in enumerate(
            [(0.41, 0.59, 0.36), (0.36, 0.65, 0.25), (0.26, 0.75, 0.1)]
        ):
            sag = 0.03 + index * 0.02
            art.polygon(
                [
                    (left, y),
                    (0.5, y + sag),
                    (right, y),
                    (right + 0.01, y + 0.03),
                    (0.5, y + sag + 0.035),
                    (left - 0.01, y + 0.03),
                ],
                ["b8563c", "d9a24a", "47707c"][index],
                235,
            )
    canvas = art.onto(canvas, 0.8, 0.25 + 0.5 * noise(rng, width, height, 40, 6))
    art = Shapes(width, height)
    person(art, rng, 0.4, 0.74, 0.2)
    person(art, rng, 0.3, 0.88, 0.3)
    person(art, rng, 0.46, 0.66, 0.12)
    return develop(glow(art.onto(canvas, 0.5), 0.8, 0.3, 0.4, "fff0c8", 0.35), rng)


def hill_town(width: int, height: int, seed: int) -> Image.Image:
    """Paint a white town on a hill above the sea with a lamp tower on its mole."""
    rng = np.random.default_rng(seed)
    canvas = clouds(gradient(width, height, SKIES["heat"]), rng, 0.4, "ffffff", 0.5)
    canvas = ridge(canvas, rng, 0.36, 0.24, "9aa79c", "b3b199")
    canvas = ridge(canvas, rng, 0.5, 0.1, "a58f68", "8d8f5e")
    art = Shapes(width, height)
    for level in range(9):
        y = 0.4 + level * 0.031
        for _ in range(11 + level):
            x = 0.42 + rng.normal(0, 0.09 + level * 0.018)
            wide, high = rng.uniform(0.022, 0.04), rng.uniform(0.035, 0.06)
            art.box(
                x, y - high, wide, high, ["f4eede", "eadfc8", "fbf7ee", "e3d2b2"][rng.integers(4)]
            )
            art.box(x + wide * 0.65, y - high, wide * 0.35, high, "7a6a58", 90)
            art.box(x + wide * 0.2, y - high * 0.7, wide * 0.16, high * 0.3, "3a5568")
        for _ in range(5):
            art.oval(
                0.42 + rng.normal(0, 0.2), y, 0.012, 0.02, ["4f6238", "65743f"][rng.integers(2)]
            )
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 10, 3))
    canvas = water(canvas, rng, 0.68, "2f7285", 0.6)
    art = Shapes(width, height)
    art.polygon([(0.62, 0.7), (1, 0.68), (1, 0.73), (0.62, 0.72)], "8f8066")
    art.polygon([(0.8, 0.7), (0.85, 0.7), (0.84, 0.3), (0.81, 0.3)], "efe7d3")
    art.polygon([(0.832, 0.7), (0.85, 0.7), (0.84, 0.3), (0.83, 0.3)], "8f8470", 150)
    art.box(0.803, 0.285, 0.044, 0.016, "6e5a44")
    art.box(0.812, 0.24, 0.026, 0.046, "e8a83e")
    art.oval(0.825, 0.24, 0.016, 0.024, "7a4a36")
    for index, x in enumerate([0.14, 0.3, 0.5, 0.68]):
        boat(
            art,
            x,
            0.79 + (index % 2) * 0.09,
            0.03 + (index % 2) * 0.014,
            ["2f6d8c", "b8563c", "efe6d2", "2d5a46"][index],
            index % 2 == 0,
        )
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 12, 3))
    return develop(glow(canvas, 0.825, 0.26, 0.03, "ffe9a0", 0.7), rng)
