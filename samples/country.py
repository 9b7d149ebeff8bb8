"""Open country, as the samples show it: each function paints one picture."""

from __future__ import annotations

import numpy as np
from painting import SKIES, Canvas, Shapes, blend, clouds, develop, gradient, noise, ridge, water
from PIL import Image


def fog_bay(width: int, height: int, seed: int) -> Image.Image:
    """Paint a bay under fog: five hills, each paler than the one before it, and tiled roofs."""
    rng = np.random.default_rng(seed)
    canvas = gradient(width, height, SKIES["fog"])
    for index, (colour, light) in enumerate(
        [
            ("c3cbcc", "cdd3d2"),
            ("a9b6b9", "b6c1c1"),
            ("869a9e", "95a7a7"),
            ("5f787a", "6f8583"),
            ("3b5650", "4c655a"),
        ]
    ):
        canvas = ridge(canvas, rng, 0.3 + index * 0.075, 0.3 - index * 0.03, colour, light)
        mist = noise(rng, width, height, width / 2, 4)
        band = np.exp(
            -(
                (
                    (np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j][0] - 0.42 - index * 0.07)
                    / 0.06
                )
                ** 2
            )
        )
        canvas = blend(canvas, "e4e7e5", np.clip(band * mist * 1.3, 0, 0.9))
    canvas = water(canvas, rng, 0.7, "93a5a8", 0.55)
    art = Shapes(width, height)
    for index in range(11):
        x, y, wide = -0.05 + index * 0.1, 0.93 + rng.uniform(-0.035, 0.03), rng.uniform(0.1, 0.14)
        art.box(
            x + 0.01, y - 0.05, wide - 0.02, 0.18, ["5d5148", "6e6156", "cfc8ba"][rng.integers(3)]
        )
        art.polygon(
            [
                (x - 0.012, y - 0.045),
                (x + wide * 0.22, y - 0.12),
                (x + wide * 0.78, y - 0.12),
                (x + wide + 0.012, y - 0.045),
            ],
            ["3a4347", "454d50", "30383d"][rng.integers(3)],
        )
        for tile in range(9):
            a = x + wide * tile / 9
            art.line(
                [(a, y - 0.048), (x + wide * (0.22 + 0.56 * tile / 9), y - 0.118)],
                "23292c",
                0.0012,
                130,
            )
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 12, 4))
    return develop(canvas, rng)


def signal_box(width: int, height: int, seed: int) -> Image.Image:
    """Paint a brick and timber signal box by a double line of rails in open country."""
    rng = np.random.default_rng(seed)
    canvas = clouds(gradient(width, height, SKIES["noon"]), rng, 0.5, "ffffff", 1.1)
    canvas = ridge(canvas, rng, 0.47, 0.14, "7d9487", "93a58f")
    canvas = ridge(canvas, rng, 0.56, 0.08, "5f7c45", "8d9c58")
    art = Shapes(width, height)
    art.polygon([(0.5, 0.58), (0.56, 0.58), (0.92, 1.02), (0.08, 1.02)], "8f8577")
    for index in range(26):
        near = (index / 25) ** 2.2
        y, half = 0.585 + near * 0.43, 0.02 + near * 0.33
        art.box(0.525 - half - 0.02 * near, y, half * 2, 0.003 + near * 0.012, "4d4239")
    for left, right in [(0.515, 0.2), (0.526, 0.4), (0.535, 0.58), (0.548, 0.8)]:
        art.polygon(
            [(left, 0.58), (left + 0.002, 0.58), (right + 0.016, 1.02), (right, 1.02)], "c9cbca"
        )
    art.box(0.1, 0.5, 0.25, 0.24, "8e4b38")
    for row in range(11):
        art.line([(0.1, 0.51 + row * 0.021), (0.35, 0.51 + row * 0.021)], "6a3528", 0.0013, 160)
    art.box(0.085, 0.36, 0.28, 0.15, "e9e2cf")
    for index in range(8):
        art.box(0.094 + index * 0.0335, 0.375, 0.028, 0.085, "56707c")
        art.polygon(
            [
                (0.094 + index * 0.0335, 0.375),
                (0.112 + index * 0.0335, 0.375),
                (0.094 + index * 0.0335, 0.43),
            ],
            "bcd0d6",
            150,
        )
    art.box(0.085, 0.47, 0.28, 0.022, "355244")
    art.polygon([(0.06, 0.365), (0.11, 0.255), (0.34, 0.255), (0.39, 0.365)], "4b5157")
    art.box(0.29, 0.2, 0.025, 0.08, "7d4434")
    art.polygon([(0.35, 0.5), (0.37, 0.5), (0.44, 0.74), (0.42, 0.74)], "d8d0bc")
    art.box(0.155, 0.6, 0.035, 0.14, "355244")
    art.line([(0.74, 0.75), (0.74, 0.22)], "dcdad2", 0.008)
    art.polygon([(0.735, 0.235), (0.65, 0.205), (0.65, 0.235), (0.735, 0.265)], "c23b2b")
    art.polygon([(0.67, 0.212), (0.682, 0.216), (0.682, 0.246), (0.67, 0.242)], "f4f0e6")
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 10, 4))
    art = Shapes(width, height)
    for _ in range(1500):
        x, y = rng.random(), 0.76 + 0.26 * rng.random()
        if abs(x - 0.5) < 0.42 * (y - 0.5) / 0.5 + 0.02:
            continue
        art.line(
            [(x, y), (x + rng.normal(0, 0.006), y - rng.uniform(0.02, 0.06))],
            ["6f8440", "8c9b52", "55703a", "b9b06a"][rng.integers(4)],
            0.002,
        )
    return develop(art.onto(canvas, 0.4), rng)


def terraces(width: int, height: int, sky: str, seed: int) -> Image.Image:
    """Paint open hills under a sky: what stock libraries sell by the thousand."""
    rng = np.random.default_rng(seed)
    canvas: Canvas = clouds(gradient(width, height, SKIES[sky]), rng, 0.55, "ffffff", 0.9)
    for index, (colour, light) in enumerate(
        [("8ba0a8", "9aacb0"), ("6f8a72", "87996f"), ("55703f", "8b9a4e"), ("3f5a34", "6f8344")]
    ):
        canvas = ridge(canvas, rng, 0.42 + index * 0.13, 0.22, colour, light)
    return develop(canvas, rng)
