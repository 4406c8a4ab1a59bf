"""Embedding models of the reference store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.embedding_model import COMING, KEPT, SERVING, Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory


class ReferenceModels:
    """Which model is active, and the vectors of each."""

    _memories: dict[int, Memory]

    def _start_models(self) -> None:
        self._models: dict[str, Model] = {}
        self._vectors: dict[tuple[int, str], list[bytes]] = {}
        self._outdated: set[int] = set()  #: memories whose active vectors must be recomputed

    def models_list_all(self) -> list[Model]:
        order = (SERVING, COMING, KEPT)
        models = sorted(
            self._models.values(), key=lambda model: (order.index(model.state), model.name)
        )
        return [
            model.replace(
                vectors=len(self.vectors_of(model.name)),
                missing=len(self._missing_vectors(model.name)) if model.state != KEPT else 0,
            )
            for model in models
        ]

    def models_in_state(self, state: str) -> Model | None:
        return next((model for model in self._models.values() if model.state == state), None)

    def models_announce(self, model: Model) -> None:
        active = self.models_in_state(SERVING)
        self._change_state(COMING, KEPT)
        if active is None or active.name != model.name:
            state = SERVING if active is None else COMING
            self._models = {**self._models, model.name: model.replace(state=state)}

    def models_activate(self, name: str) -> bool:
        model = self._models.get(name)
        if (
            model is None
            or model.state == KEPT
            or (model.state == COMING and self._missing_vectors(name))
        ):
            return False
        if model.state == COMING:
            for key in self._outdated:
                self._vectors.pop((key, self.models_in_state(SERVING).name), None)
            self._outdated = set()
            self._change_state(SERVING, KEPT)
            self._change_state(COMING, SERVING)
        return True

    def models_keep(self, name: str) -> None:
        pending = self.models_in_state(COMING)
        if pending is not None and pending.name == name:
            self._change_state(COMING, KEPT)

    def models_drop_vectors(self, name: str, most: int) -> int:
        if name not in self._models or self._models[name].state != KEPT:
            return 0
        count = sum(len(windows) for (_, model), windows in self._vectors.items() if model == name)
        assert count < most, "the reference store drops all at once"
        self._vectors = {key: item for key, item in self._vectors.items() if key[1] != name}
        self._models = {key: model for key, model in self._models.items() if key != name}
        return count

    def search_set_vectors(self, key: int, vectors: Sequence[bytes], model: str) -> None:
        if key not in self._memories or self._memories[key].forgotten_at is not None:
            return
        if self.models_in_state(SERVING) is None:
            first = Model(name=model, dimensions=len(vectors[0]) // 4)
            self._models = {**self._models, model: first}
        if model in self._models:
            self._vectors = {**self._vectors, (key, model): list(vectors)}
            if self._models[model].state == SERVING:
                self._outdated = self._outdated - {key}

    def search_without_vectors(self, model: str, limit: int) -> list[int]:
        if self.models_in_state(SERVING) is not None:
            registered = self._models.get(model)
            if registered is None or registered.state == KEPT:
                return []
        return self._missing_vectors(model)[:limit]

    def vectors_of(self, model: str | None) -> dict[int, list[bytes]]:
        """Return the vectors of a model, by default of the active one, by memory."""
        if model is None:
            active = self.models_in_state(SERVING)
            model = None if active is None else active.name
        return {key: windows for (key, name), windows in self._vectors.items() if name == model}

    def _missing_vectors(self, model: str) -> list[int]:
        return sorted(
            key
            for key, memory in self._memories.items()
            if memory.forgotten_at is None
            and (
                (key, model) not in self._vectors
                or (self._is_active(model) and key in self._outdated)
            )
        )

    def _is_active(self, model: str) -> bool:
        return model in self._models and self._models[model].state == SERVING

    def _outdate(self, key: int) -> None:
        self._outdated = self._outdated | {key}
        self._vectors = {
            owner: windows
            for owner, windows in self._vectors.items()
            if owner[0] != key or self._is_active(owner[1])
        }

    def _drop_vectors(self, key: int) -> None:
        self._vectors = {
            owner: windows for owner, windows in self._vectors.items() if owner[0] != key
        }

    def _change_state(self, before: str, after: str) -> None:
        self._models = {
            name: model.replace(state=after) if model.state == before else model
            for name, model in self._models.items()
        }
