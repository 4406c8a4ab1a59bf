"""Embedding models of the store in dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.embedding_model import COMING, KEPT, SERVING, Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory


class ReferenceModels:
    """Which model serves, and the vectors of each."""

    _memories: dict[int, Memory]

    def _start_models(self) -> None:
        self._models: dict[str, Model] = {}
        self._vectors: dict[tuple[int, str], list[bytes]] = {}
        self._outdated: set[int] = set()  #: whose serving vectors are to be made anew

    def models_list_all(self) -> list[Model]:
        order = (SERVING, COMING, KEPT)
        found = sorted(self._models.values(), key=lambda one: (order.index(one.state), one.name))
        return [
            one.replace(
                vectors=len(self.vectors_of(one.name)),
                missing=len(self._lacking(one.name)) if one.state != KEPT else 0,
            )
            for one in found
        ]

    def models_in_state(self, state: str) -> Model | None:
        return next((one for one in self._models.values() if one.state == state), None)

    def models_announce(self, model: Model) -> None:
        serving = self.models_in_state(SERVING)
        self._become(COMING, KEPT)
        if serving is None or serving.name != model.name:
            state = SERVING if serving is None else COMING
            self._models = {**self._models, model.name: model.replace(state=state)}

    def models_work_of(self, name: str) -> tuple[int, int]:
        lacking = self._lacking(name)
        return len(lacking), sum(len(self._memories[key].content) for key in lacking)

    def models_let_serve(self, name: str) -> bool:
        found = self._models.get(name)
        if found is None or found.state == KEPT or (found.state == COMING and self._lacking(name)):
            return False
        if found.state == COMING:
            for key in self._outdated:
                self._vectors.pop((key, self.models_in_state(SERVING).name), None)
            self._outdated = set()
            self._become(SERVING, KEPT)
            self._become(COMING, SERVING)
        return True

    def models_keep(self, name: str) -> None:
        coming = self.models_in_state(COMING)
        if coming is not None and coming.name == name:
            self._become(COMING, KEPT)

    def models_drop_vectors(self, name: str, most: int) -> int:
        if name not in self._models or self._models[name].state != KEPT:
            return 0
        chunks = [(key, at) for key, model in self._vectors if model == name
                  for at in range(len(self._vectors[key, model]))]  # fmt: skip
        assert len(chunks) < most, "the model drops all at once"
        self._vectors = {key: one for key, one in self._vectors.items() if key[1] != name}
        self._models = {key: one for key, one in self._models.items() if key != name}
        return len(chunks)

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
            known = self._models.get(model)
            if known is None or known.state == KEPT:
                return []
        return self._lacking(model)[:limit]

    def vectors_of(self, model: str | None) -> dict[int, list[bytes]]:
        """Return the vectors that a model made, or the one that serves, by memory."""
        if model is None:
            serving = self.models_in_state(SERVING)
            model = None if serving is None else serving.name
        return {key: windows for (key, name), windows in self._vectors.items() if name == model}

    def _lacking(self, model: str) -> list[int]:
        return sorted(
            key
            for key, one in self._memories.items()
            if one.forgotten_at is None
            and (
                (key, model) not in self._vectors or (self._serves(model) and key in self._outdated)
            )
        )

    def _serves(self, model: str) -> bool:
        return model in self._models and self._models[model].state == SERVING

    def _outdate(self, key: int) -> None:
        self._outdated = self._outdated | {key}
        self._vectors = {
            of: one for of, one in self._vectors.items() if of[0] != key or self._serves(of[1])
        }

    def _drop_vectors(self, key: int) -> None:
        self._vectors = {of: one for of, one in self._vectors.items() if of[0] != key}

    def _become(self, before: str, after: str) -> None:
        self._models = {
            name: one.replace(state=after) if one.state == before else one
            for name, one in self._models.items()
        }
