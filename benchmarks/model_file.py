"""Writing a trained model to the file that the package reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from io import BytesIO
from typing import Any

import numpy as np

from printer.extraction.classifier.model import BoostedTrees, ClassifierModel
from printer.extraction.classifier.network import NetworkEnsemble

Arrays = dict[str, np.ndarray[Any, Any]]


def dump_model(model: ClassifierModel) -> bytes:
    """Return the bytes that :meth:`ClassifierModel.load` reads."""
    buffer = BytesIO()
    np.savez_compressed(
        buffer,
        allow_pickle=False,
        **_odds_arrays("names", model.priors.names),
        **_odds_arrays("articles", model.priors.articles),
        **_odds_arrays("words", model.priors.words),
        **_tree_arrays("segments", model.segments),
        **network_arrays("networks", model.networks),
        **_tree_arrays("kinds", model.kinds),
        **_tree_arrays("confidence", model.confidence),
    )
    return buffer.getvalue()


def network_arrays(name: str, networks: NetworkEnsemble) -> Arrays:
    """Return the arrays that :meth:`NetworkEnsemble.load` reads; weights in half precision."""
    precise = {"mean", "scale"}
    return {
        f"{name}.{field.name}": getattr(networks, field.name).astype(
            np.float32 if field.name in precise else np.float16
        )
        for field in fields(networks)
    }


def _tree_arrays(name: str, trees: BoostedTrees) -> Arrays:
    return {
        f"{name}.feature": trees.feature.astype(np.uint16),
        f"{name}.threshold": trees.threshold,
        f"{name}.leaf": trees.leaf,
    }


def _odds_arrays(name: str, odds: Mapping[str, float]) -> Arrays:
    values = np.round(np.array(list(odds.values())) * 32).astype(np.int8)
    tokens = np.frombuffer("\n".join(odds).encode(), np.uint8)
    return {f"{name}.tokens": tokens, f"{name}.odds": values}
