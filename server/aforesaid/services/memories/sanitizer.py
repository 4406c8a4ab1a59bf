"""Takes from text what must never be stored, and says so. Not here: what a secret is."""

from __future__ import annotations

from aforesaid.domain.text.sanitize import clean_text, strip_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import SecretFilter


class Sanitizer:
    """Takes from text what must never be stored, and remembers what kinds it took."""

    def __init__(self, secrets: SecretFilter | None, private_tag: str) -> None:
        self._secrets = secrets
        self._tag = private_tag
        self.kinds: dict[str, None] = {}
        self.private = 0

    def clean(self, text: str) -> str:
        """Return the text without private spans, secrets and stray characters."""
        text, spans = strip_private(clean_text(text), self._tag)
        self.private += spans
        if self._secrets is not None:
            text, kinds = self._secrets.redact(text)
            self.kinds.update(dict.fromkeys(kinds))
        return text

    def told(self, statement: Statement) -> Statement:
        """Return a cleaned statement that says itself what was private in it and is gone."""
        if not self.private:
            return statement
        return statement.replace(metadata={**statement.metadata, "removed_spans": self.private})
