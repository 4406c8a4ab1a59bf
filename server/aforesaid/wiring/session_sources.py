"""What digests read: transcripts of all clients, and the commits of a session's repository."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.adapters.git_reader.session_commits import ReflogEntry
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.model.transcript import Conversation
    from aforesaid.domain.projects.detection import Repository
    from aforesaid.ports import SecretFilter


class Transcripts:
    """``TranscriptSource`` of all clients; secrets are removed before texts are truncated."""

    def __init__(
        self, secrets: SecretFilter | None, private_tag: str, environment: Mapping[str, str]
    ) -> None:
        self._secrets = secrets
        self._private_tag = private_tag
        self._environment = environment

    def find(self, session: str) -> str:
        from aforesaid.adapters.transcripts.discovery import find_transcript

        return find_transcript(self._environment, session)

    def read(self, path: str, seen_bytes: int = 0) -> Conversation:
        from aforesaid.adapters.transcripts import read_conversation

        return read_conversation(
            path, redact=self._redact, private_tag=self._private_tag, seen_bytes=seen_bytes
        )

    def shared_until(self, path: str, other: str, since: int) -> int:
        from aforesaid.adapters.transcripts import shared_until

        return shared_until(path, other, since)

    def _redact(self, text: str) -> str:
        return text if self._secrets is None else self._secrets.redact(text)[0]


class SessionCommits:
    """``CommitSource`` over the git reader."""

    def __init__(
        self,
        find_repository: Callable[[str], Repository | None],
        make_counter: Callable[[], SkipCounter],
    ) -> None:
        self._find_repository = find_repository
        self._make_counter = make_counter

    def commits(self, folder: str, since: int, until: int) -> Sequence[ReflogEntry]:
        from aforesaid.adapters.git_reader.session_commits import read_commits

        repository = self._find_repository(folder)
        return () if repository is None else read_commits(repository, since, until)

    def import_items(
        self, folder: str, project: str, since: int, until: int
    ) -> Sequence[ImportItem]:
        from aforesaid.adapters.git_reader.session_commits import read_session_commits

        repository = self._find_repository(folder)
        if repository is None:
            return ()
        return read_session_commits(repository, project, since, until, self._make_counter())
