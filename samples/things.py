"""Things seen from near by, as the samples show them: each function paints one picture."""

from __future__ import annotations

import numpy as np
from painting import Shapes, blend, develop, glow, gradient, noise
from PIL import Image


def type_case(width: int, height: int, seed: int) -> Image.Image:
    """Paint a compositor's case: rows of metal sorts seen from above, some faces inked."""
    rng = np.random.default_rng(seed)
    canvas = gradient(width, height, [(0, "3b2a1d"), (1, "5a4330")]) * (
        0.7 + 0.5 * noise(rng, width, height, 60, 5)[..., None]
    )
    art = Shapes(width, height)
    for row in range(9):
        for column in range(14):
            x, y = 0.02 + column * 0.0695, 0.03 + row * 0.108
            art.box(x, y, 0.062, 0.095, "1c140e", 200)
            for line in range(3):
                for sort in range(4):
                    if rng.random() < 0.12:
                        continue
                    sx, sy = (
                        x + 0.003 + sort * 0.0147 + rng.uniform(-0.001, 0.001),
                        y + 0.006 + line * 0.029,
                    )
                    art.box(
                        sx,
                        sy,
                        0.0125,
                        0.024,
                        ["9aa0a3", "b4b9ba", "7f8689", "a8a59a"][rng.integers(4)],
                    )
                    art.box(sx, sy, 0.0125, 0.004, "e4e6e4", 170)
                    for _ in range(int(rng.integers(3, 6))):
                        a, b = sx + 0.002 + rng.random() * 0.008, sy + 0.005 + rng.random() * 0.015
                        ends = (a + rng.choice([0, 0.005]), b + rng.choice([0, 0.007]))
                        art.line([(a, b), ends], "2b2e30", 0.0016)
    canvas = art.onto(canvas, 0.3, noise(rng, width, height, 14, 4))
    return develop(glow(canvas, 0.25, 0.2, 0.45, "ffe6bf", 0.4), rng)


def pan(width: int, height: int, seed: int, *, raw: bool = False) -> Image.Image:
    """Paint a pan seen from above on a wooden table: barley, halved plums, leaves, a cloth."""
    rng = np.random.default_rng(seed)
    streaks = noise(rng, width // 8, height, 10, 4).repeat(8, axis=1)[:, :width]
    streaks = np.pad(streaks, ((0, 0), (0, width - streaks.shape[1])), mode="edge")
    canvas = blend(
        gradient(width, height, [(0, "8a6a4c"), (1, "6f5239")]),
        "3f2c1e",
        np.clip(streaks * 1.4 - 0.35, 0, 0.8),
    )
    aspect = width / height
    art = Shapes(width, height)
    art.polygon([(0.72, -0.02), (1.02, -0.02), (1.02, 0.62), (0.86, 0.5)], "e4ddd0")
    for index in range(7):
        art.line([(0.76 + index * 0.04, -0.02), (0.88 + index * 0.03, 0.52)], "8aa0ab", 0.004, 170)
    canvas = art.onto(canvas, 1.0, noise(rng, width, height, 22, 5))
    art = Shapes(width, height)
    middle, radius = (0.45, 0.52), 0.29
    art.oval(
        middle[0] + 0.012, middle[1] + 0.03, radius * 1.03, radius * aspect * 1.03, "120c08", 120
    )
    canvas = art.onto(canvas, 9)
    art = Shapes(width, height)
    if not raw:
        art.polygon([(0.66, 0.66), (0.95, 0.88), (0.93, 0.95), (0.63, 0.73)], "1d1c1c")
    art.oval(*middle, radius, radius * aspect, "201f20" if not raw else "e9e3d6")
    art.oval(*middle, radius * 0.93, radius * aspect * 0.93, "38332f" if not raw else "d3cabb")
    art.oval(*middle, radius * 0.9, radius * aspect * 0.9, "9c7340" if not raw else "f2ede2")
    for _ in range(5200 if not raw else 2600):
        away, turn = radius * 0.87 * np.sqrt(rng.random()), rng.random() * 6.283
        x, y = middle[0] + away * np.cos(turn), middle[1] + away * aspect * np.sin(turn)
        art.oval(
            x,
            y,
            rng.uniform(0.003, 0.0055),
            rng.uniform(0.004, 0.007),
            ["c79a5b", "b3823f", "dcb67a", "8f6430", "e8cb98"][rng.integers(5)]
            if not raw
            else ["efe0bd", "e2cc9f", "d6bb86"][rng.integers(3)],
        )
    for index in range(0 if raw else 13):
        away, turn = (
            radius * (0.22 if index < 4 else 0.65),
            index * (1.571 if index < 4 else 0.698) + 0.4,
        )
        x, y = middle[0] + away * np.cos(turn), middle[1] + away * aspect * np.sin(turn)
        art.oval(x + 0.004, y + 0.008, 0.042, 0.057, "2a120f", 150)
        art.oval(x, y, 0.041, 0.055, "5a1f38")
        art.oval(x, y, 0.034, 0.046, "b8543a")
        art.oval(x - 0.004, y - 0.005, 0.024, 0.033, "d98748")
        art.oval(x, y, 0.012, 0.018, "6a2a24")
    for _ in range(26 if not raw else 0):
        away, turn = radius * 0.8 * np.sqrt(rng.random()), rng.random() * 6.283
        x, y = middle[0] + away * np.cos(turn), middle[1] + away * aspect * np.sin(turn)
        lean = rng.uniform(-0.02, 0.02)
        art.polygon(
            [
                (x, y),
                (x + 0.008 + lean, y + 0.012),
                (x + 0.018 + lean, y + 0.03),
                (x - 0.003 + lean, y + 0.02),
            ],
            ["4f7038", "6b8c48"][rng.integers(2)],
        )
    for index in range(7):
        x, y = (
            (0.1 + rng.normal(0, 0.035), 0.2 + rng.normal(0, 0.06))
            if index < 4
            else (0.86 + rng.normal(0, 0.03), 0.72 + rng.normal(0, 0.05))
        )
        art.oval(x + 0.006, y + 0.014, 0.036, 0.05, "1a0f0a", 140)
        art.oval(x, y, 0.036, 0.05, ["4a2148", "5c2450", "3b1b3f"][index % 3])
        art.oval(x - 0.012, y - 0.018, 0.011, 0.013, "b79ac0", 150)
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 10, 4))
    return develop(glow(canvas, 0.15, 0.05, 0.5, "fff3da", 0.35), rng)


def levers(width: int, height: int, seed: int) -> Image.Image:
    """Paint a frame of signal levers, red, yellow, blue and black, with polished handles."""
    rng = np.random.default_rng(seed)
    canvas = gradient(
        width, height, [(0, "d9e2e0"), (0.45, "b9c4c0"), (0.5, "6b5a48"), (1, "4a3b2e")]
    )
    art = Shapes(width, height)
    for index in range(6):
        art.box(0.02 + index * 0.165, 0.02, 0.15, 0.36, "cfdde0")
        art.box(0.02 + index * 0.165, 0.27, 0.15, 0.11, "7f9a72", 170)
    canvas = art.onto(canvas, 5.0, noise(rng, width, height, 40, 4))
    art = Shapes(width, height)
    art.box(0, 0.4, 1, 0.05, "5b3d28")
    for index in range(6):
        art.box(0.06 + index * 0.16, 0.3, 0.09, 0.1, "7a4a2c")
        art.oval(0.105 + index * 0.16, 0.345, 0.026, 0.036, "efe9d8")
        art.line([(0.105 + index * 0.16, 0.345), (0.118 + index * 0.16, 0.325)], "222222", 0.003)
    art.box(0, 0.84, 1, 0.2, "2f2a27")
    colours = [
        "c0392b",
        "c0392b",
        "d9b02f",
        "2f5f9c",
        "222426",
        "222426",
        "efe9dc",
        "c0392b",
        "2f5f9c",
        "d9b02f",
        "222426",
        "c0392b",
    ]
    for index, colour in enumerate(colours):
        x = 0.06 + index * 0.079
        lean = 0.0 if index not in (3, 7) else 0.03
        art.polygon(
            [(x, 0.9), (x + 0.022, 0.9), (x + 0.018 + lean, 0.5), (x + 0.004 + lean, 0.5)], colour
        )
        art.polygon(
            [(x + 0.015, 0.9), (x + 0.022, 0.9), (x + 0.018 + lean, 0.5), (x + 0.014 + lean, 0.5)],
            "000000",
            70,
        )
        art.box(x + 0.005 + lean, 0.38, 0.012, 0.13, "c9ced0")
        art.box(x + 0.006 + lean, 0.38, 0.004, 0.13, "ffffff", 190)
        art.box(x + 0.001, 0.72, 0.02, 0.04, "d6b563")
    canvas = art.onto(canvas, 0.4, noise(rng, width, height, 16, 3))
    return develop(canvas, rng)


def soap_film(width: int, height: int, seed: int) -> Image.Image:
    """Paint a draining film by its physics: two reflections that help or spoil each other."""
    rng = np.random.default_rng(seed)
    down = np.linspace(0, 1, height)[:, None]
    swirl = noise(rng, width, height, width / 2.5, 5)
    thick = 20 + 900 * (down + 0.14 * (swirl - 0.5)).clip(0) ** 1.6
    canvas = np.zeros((height, width, 3))
    for channel, waves in enumerate(
        [(600, 620, 640, 660), (520, 535, 550, 565), (435, 450, 465, 480)]
    ):
        for wave in waves:
            canvas[..., channel] += np.sin(2 * np.pi * 1.33 * thick / wave) ** 2 / len(waves)
    canvas = (canvas * 0.78 + canvas.mean(axis=2, keepdims=True) * 0.22) ** 1.1 * 0.88 + 0.03
    across, deep = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    edge = np.hypot(across * width / height, deep) - 0.9
    ring = np.exp(-((edge / 0.035) ** 2))
    canvas = blend(canvas, "0d0f14", np.clip(edge * 30, 0, 1))
    canvas = blend(canvas, "b9bdc4", ring * 0.85)
    return develop(canvas, rng, 0.012)


def harmonium(width: int, height: int, seed: int) -> Image.Image:
    """Paint a reed organ against a papered wall."""
    rng = np.random.default_rng(seed)
    canvas = gradient(
        width, height, [(0, "b8ab8a"), (0.8, "a3946f"), (0.81, "5a432e"), (1, "4a3524")]
    )
    art = Shapes(width, height)
    for row in range(8):
        for column in range(14):
            art.oval(
                0.04 + column * 0.075 + (row % 2) * 0.037,
                0.05 + row * 0.1,
                0.008,
                0.016,
                "8a7a55",
                120,
            )
    art.box(0.2, 0.22, 0.6, 0.66, "5b3420")
    art.box(0.17, 0.18, 0.66, 0.05, "6e4128")
    art.polygon([(0.28, 0.22), (0.72, 0.22), (0.7, 0.38), (0.3, 0.38)], "4a2a1a")
    art.box(0.33, 0.24, 0.34, 0.12, "efe7d2")
    for line in range(6):
        art.line([(0.35, 0.26 + line * 0.016), (0.65, 0.26 + line * 0.016)], "6b6252", 0.002)
    for stop in range(9):
        art.oval(0.26 + stop * 0.06, 0.43, 0.014, 0.02, "e9e0c8")
        art.oval(0.26 + stop * 0.06, 0.43, 0.008, 0.011, "2a211c", 150)
    art.polygon([(0.18, 0.49), (0.82, 0.49), (0.84, 0.56), (0.16, 0.56)], "f3eddc")
    for key in range(44):
        x = 0.17 + key * 0.0152
        art.line([(x, 0.49), (x - 0.001, 0.56)], "8f8878", 0.0012)
        if key % 7 not in (2, 6):
            art.box(x + 0.011, 0.49, 0.008, 0.042, "17140f")
    art.box(0.16, 0.56, 0.68, 0.03, "4a2a1a")
    art.box(0.26, 0.64, 0.2, 0.1, "7d4f30")
    art.box(0.54, 0.64, 0.2, 0.1, "7d4f30")
    art.polygon([(0.3, 0.79), (0.47, 0.79), (0.46, 0.88), (0.28, 0.88)], "3a3330")
    art.polygon([(0.53, 0.79), (0.7, 0.79), (0.72, 0.88), (0.54, 0.88)], "3a3330")
    canvas = art.onto(canvas, 0.6, noise(rng, width, height, 18, 5))
    return develop(glow(canvas, 0.1, 0.2, 0.5, "fff0d0", 0.4), rng, 0.03, 0.9)


def rain(width: int, height: int, seed: int) -> Image.Image:
    """Paint street lamps seen through a wet window pane."""
    rng = np.random.default_rng(seed)
    canvas = gradient(width, height, [(0, "16202c"), (0.6, "2c3a44"), (1, "1b2226")])
    for _ in range(26):
        colour = ["ffb454", "ff7a4a", "8fd0ff", "ffe3a1", "d6485a"][rng.integers(5)]
        canvas = glow(
            canvas, rng.random(), rng.normal(0.55, 0.16), rng.uniform(0.02, 0.06), colour, 0.7
        )
    behind = canvas[::-1, ::-1]
    down, across = np.mgrid[0:height, 0:width]
    for _ in range(420):
        x, y, size = rng.random() * width, rng.random() * height, 2 + rng.exponential(4.2)
        top, left = int(max(0, y - size * 2)), int(max(0, x - size * 2))
        part = (slice(top, int(y + size * 2) + 1), slice(left, int(x + size * 2) + 1))
        far = np.hypot(across[part] - x, (down[part] - y) * 0.85) / size
        drop = np.clip((1 - far) * 4, 0, 1)[..., None]
        bright = np.clip(behind[part] * 1.5 + 0.12 * ((down[part] - y) / size)[..., None], 0, 1)
        canvas[part] = canvas[part] * (1 - drop) + bright * drop
    return develop(canvas, rng)


def kettle(width: int, height: int, seed: int) -> Image.Image:
    """Paint a steel kettle on a stove."""
    rng = np.random.default_rng(seed)
    canvas = gradient(
        width, height, [(0, "c9d0cc"), (0.72, "aeb8b2"), (0.73, "2d2c2d"), (1, "1c1b1c")]
    )
    art = Shapes(width, height)
    for row in range(5):
        for column in range(9):
            art.box(
                column * 0.115 + 0.003,
                row * 0.15,
                0.109,
                0.143,
                ["dfe5df", "d3dbd6", "e6e9e2"][rng.integers(3)],
            )
    canvas = art.onto(canvas, 0.8, 0.35 + 0.3 * noise(rng, width, height, 60, 3))
    art = Shapes(width, height)
    art.oval(0.5, 0.83, 0.32, 0.05, "000000", 190)
    canvas = art.onto(canvas, 5)
    art = Shapes(width, height)
    art.polygon([(0.7, 0.56), (0.75, 0.68), (0.93, 0.45), (0.88, 0.41)], "7f868a")
    for index in range(80):  # the belly, turned: a bright band, a dark one, the window's shine
        turn = index / 79
        shine = (
            0.42
            + 0.34 * np.cos((turn - 0.3) * 9) * np.exp(-2 * turn)
            + 0.3 * np.exp(-(((turn - 0.24) / 0.05) ** 2))
        )
        tone = f"{int(np.clip(shine, 0.08, 1) * 245):02x}" * 3
        top, low = 0.32 + turn * 0.36, 0.2 + turn * 0.6
        art.polygon(
            [
                (top, 0.42),
                (top + 0.006, 0.42),
                (low + 0.01, 0.79),
                (low + 0.008, 0.825),
                (low, 0.825),
                (low - 0.002, 0.79),
            ],
            tone,
        )
    art.oval(0.502, 0.42, 0.184, 0.055, "d5d9da")
    art.oval(0.502, 0.405, 0.14, 0.038, "8f9598")
    art.oval(0.49, 0.4, 0.1, 0.02, "c3c8ca")
    art.oval(0.5, 0.345, 0.028, 0.034, "1c1c1e")
    art.line(
        [
            (0.33, 0.42),
            (0.33, 0.26),
            (0.37, 0.17),
            (0.5, 0.13),
            (0.63, 0.17),
            (0.67, 0.26),
            (0.67, 0.42),
        ],
        "1f1f21",
        0.026,
    )
    return develop(art.onto(canvas, 0.8), rng)
