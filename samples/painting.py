"""Brushes for the samples' pictures: noise, skies, ridges, water, film grain.

A canvas is a float array of height x width x 3 in 0..1.  Everything is drawn from a seed, so that
the same picture comes out every time.
"""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

Colour = tuple[int, int, int]
Canvas = np.ndarray

#: Skies from the zenith down to the horizon.
SKIES = {
    "dusk": [(0, "27344f"), (0.3, "69607a"), (0.48, "d98d6c"), (0.56, "f3bf86"), (1, "f3bf86")],
    "noon": [(0, "4f86b8"), (0.5, "bcd6e4"), (1, "e6eef0")],
    "heat": [(0, "6fa6c9"), (0.5, "dfe3d4"), (1, "f0e2c0")],
    "fog": [(0, "b9c3c6"), (0.5, "dfe2df"), (1, "d5d8d4")],
    "night": [(0, "0a1022"), (0.6, "1d2b48"), (1, "3a4663")],
    "dull": [(0, "8b98a3"), (0.5, "c3c9ca"), (1, "dcdcd6")],
}

SCALE = 2  # shapes are drawn twice as large and shrunk, which smooths their edges


def rgb(hexes: str) -> Colour:
    return int(hexes[0:2], 16), int(hexes[2:4], 16), int(hexes[4:6], 16)


def noise(
    rng: np.random.Generator, width: int, height: int, cell: float, octaves: int = 4
) -> Canvas:
    """Return fractal noise in 0..1; ``cell`` is the size in pixels of its largest lumps."""
    total = np.zeros((height, width))
    weight, weights = 1.0, 0.0
    for _ in range(octaves):
        grid = (max(2, int(width / cell) + 2), max(2, int(height / cell) + 2))
        small = Image.fromarray((rng.random(grid[::-1]) * 255).astype(np.uint8))
        total += weight * np.asarray(small.resize((width, height), Image.Resampling.BICUBIC)) / 255
        weights += weight
        weight, cell = weight / 2, max(1.5, cell / 2)
    return total / weights


def gradient(width: int, height: int, stops: list[tuple[float, str]]) -> Canvas:
    """Return a vertical gradient through (position, colour) stops."""
    where = np.linspace(0, 1, height)
    marks = [position for position, _ in stops]
    columns = [
        np.interp(where, marks, [rgb(colour)[channel] / 255 for _, colour in stops])
        for channel in range(3)
    ]
    return np.repeat(np.stack(columns, axis=-1)[:, None, :], width, axis=1)


def blend(canvas: Canvas, colour: str, mask: Canvas) -> Canvas:
    """Return the canvas with a colour laid over it as far as the mask says."""
    return canvas * (1 - mask[..., None]) + np.array(rgb(colour)) / 255 * mask[..., None]


def clouds(
    canvas: Canvas, rng: np.random.Generator, until: float, colour: str, much: float
) -> Canvas:
    height, width = canvas.shape[:2]
    rows = int(height * until)
    lumps = noise(rng, width, rows * 3, width / 3, 6)[: rows * 3 : 3]
    mask = np.clip((lumps - 0.5) * 4 * much + 0.15 * much, 0, 0.9)
    mask *= np.linspace(1, 0.25, rows)[:, None]
    canvas[:rows] = blend(canvas[:rows], colour, mask)
    return canvas


def glow(canvas: Canvas, x: float, y: float, radius: float, colour: str, much: float) -> Canvas:
    height, width = canvas.shape[:2]
    down, across = np.mgrid[0:height, 0:width]
    far = np.hypot(across - x * width, down - y * height) / (radius * width)
    return blend(canvas, colour, much * np.exp(-(far**2)))


def ridge(
    canvas: Canvas, rng: np.random.Generator, level: float, rough: float, colour: str, light: str
) -> Canvas:
    """Draw a ridge of hills whose crest lies about ``level`` down the picture."""
    height, width = canvas.shape[:2]
    line = noise(rng, width, 4, width / 3, 6)[1]
    crest = (level + (line - 0.5) * rough) * height
    depth = np.arange(height)[:, None] - crest[None, :]
    mask = np.clip(depth, 0, 1)
    shade = noise(rng, width, height, width / 12, 5)
    hill = blend(np.broadcast_to(np.array(rgb(colour)) / 255, canvas.shape), light, shade * 0.75)
    return canvas * (1 - mask[..., None]) + hill * mask[..., None]


def water(canvas: Canvas, rng: np.random.Generator, top: float, tint: str, much: float) -> Canvas:
    """Lay water below ``top``: what is above, turned over and broken by ripples."""
    height, width = canvas.shape[:2]
    edge = int(height * top)
    rows = height - edge
    depth = np.arange(rows)
    ripple = noise(rng, width // 3, rows * 4, 26, 4)[: rows * 4 : 4]
    ripple = np.asarray(
        Image.fromarray((ripple * 255).astype(np.uint8)).resize((width, rows)), dtype=float
    )
    wave = (ripple / 255 - 0.5) * (6 + depth[:, None] * 0.35)
    source = np.clip(edge - 1 - depth[:, None] * 0.9 + wave * 1.6, 0, edge - 1).astype(int)
    across = np.clip(np.arange(width)[None, :] + wave, 0, width - 1).astype(int)
    mirrored = canvas[source, across]
    strength = np.clip(much + (ripple / 255 - 0.5) * 0.5, 0, 1)
    canvas[edge:] = blend(mirrored, tint, strength)
    canvas[edge:] += ((ripple / 255 - 0.55) * 0.16)[..., None]
    return np.clip(canvas, 0, 1)


class Shapes:
    """Polygons drawn on a layer of their own, then laid on a canvas; places in 0..1."""

    def __init__(self, width: int, height: int) -> None:
        self.size = (width * SCALE, height * SCALE)
        self.layer = Image.new("RGBA", self.size, (0, 0, 0, 0))
        self.pen = ImageDraw.Draw(self.layer, "RGBA")

    def at(self, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return points in the pixels of the layer."""
        return [(x * self.size[0], y * self.size[1]) for x, y in points]

    def polygon(self, points: list[tuple[float, float]], colour: str, alpha: int = 255) -> None:
        """Fill a polygon."""
        self.pen.polygon(self.at(points), fill=(*rgb(colour), alpha))

    def box(
        self, x: float, y: float, wide: float, high: float, colour: str, alpha: int = 255
    ) -> None:
        """Fill a box of which (x, y) is the upper left corner."""
        self.polygon([(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)], colour, alpha)

    def oval(
        self, x: float, y: float, wide: float, high: float, colour: str, alpha: int = 255
    ) -> None:
        """Draw an ellipse about (x, y) with the given radii."""
        corners = self.at([(x - wide, y - high), (x + wide, y + high)])
        self.pen.ellipse(corners, fill=(*rgb(colour), alpha))

    def line(
        self, points: list[tuple[float, float]], colour: str, thick: float, alpha: int = 255
    ) -> None:
        """Draw a line; ``thick`` is a share of the width."""
        width = max(1, round(thick * self.size[0]))
        self.pen.line(self.at(points), fill=(*rgb(colour), alpha), width=width, joint="curve")

    def onto(self, canvas: Canvas, blur: float = 0.0, texture: Canvas | None = None) -> Canvas:
        """Lay the shapes on a canvas; ``texture`` (0..1) makes their surfaces uneven."""
        layer = self.layer.filter(ImageFilter.GaussianBlur(blur * SCALE)) if blur else self.layer
        small = layer.resize((self.size[0] // SCALE, self.size[1] // SCALE), Image.Resampling.BOX)
        data = np.asarray(small, dtype=float) / 255
        colour = data[..., :3]
        if texture is not None:
            colour = np.clip(colour * (0.72 + 0.56 * texture[..., None]), 0, 1)
        return canvas * (1 - data[..., 3:]) + colour * data[..., 3:]


def develop(
    canvas: Canvas, rng: np.random.Generator, grain: float = 0.018, soft: float = 0.6
) -> Image.Image:
    """Make a photograph of a canvas: soften it, darken its corners, add grain."""
    height, width = canvas.shape[:2]
    picture = Image.fromarray((np.clip(canvas, 0, 1) * 255).astype(np.uint8))
    data = np.asarray(picture.filter(ImageFilter.GaussianBlur(soft)), dtype=float) / 255
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    data *= (1 - 0.2 * np.clip(np.hypot(across, down) - 0.4, 0, 1) ** 1.5)[..., None]
    data += rng.normal(0, grain, (height, width))[..., None]
    return Image.fromarray((np.clip(data, 0, 1) * 255).astype(np.uint8))


def encoded(picture: Image.Image, kind: str, quality: int = 70) -> bytes:
    """Return a picture as the bytes of a file."""
    out = io.BytesIO()
    options = {"JPEG": {"progressive": True, "optimize": True}, "WEBP": {"method": 6}}
    picture.save(out, kind, quality=quality, **options.get(kind, {}))
    return out.getvalue()
