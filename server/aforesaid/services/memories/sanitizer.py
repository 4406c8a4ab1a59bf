"""Removes secrets and private spans from text. The SecretFilter port decides what a secret is."""

from __future__ import annotations

from aforesaid.domain.text.sanitize import clean_text, strip_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import SecretFilter


class Sanitizer:
    """Removes what must not be stored, and counts it."""

    def __init__(self, secrets: SecretFilter | None, private_tag: str) -> None:
        self._secrets = secrets
        self._tag = private_tag
        self.kinds: dict[str, None] = {}  #: of secrets
        self.private = 0  #: number of private spans

    def clean(self, text: str) -> str:
        """Return the text without private spans, secrets and control characters."""
        text, spans = strip_private(clean_text(text), self._tag)
        self.private += spans
        if self._secrets is not None:
            text, kinds = self._secrets.redact(text)
            self.kinds.update(dict.fromkeys(kinds))
        return text

    def with_removed_spans(self, statement: Statement) -> Statement:
        """Return a cleaned statement with the number of removed private spans in its metadata."""
        if not self.private:
            return statement
        return statement.replace(metadata={**statement.metadata, "removed_spans": self.private})
