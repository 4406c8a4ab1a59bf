"""The Messages API by the official SDK, which is an extra: ``aforesaid[anthropic]``.

The key comes from the variable that ``digest.api_key_env`` names, never from a file of ours; where
the API is, from ``ANTHROPIC_BASE_URL`` as everywhere.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, UnavailableError

from . import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import anthropic

    from aforesaid.domain.text.token_budget import SummaryLimits

DEFAULT_MODEL = "claude-haiku-5-5"  #: what the client's "haiku" meant when this was written
_RETRIES = 1
_SHOWN = 200


class AnthropicApi:
    """A ``Summariser`` that asks the API."""

    def __init__(self, model: str, api_key_env: str, environment: Mapping[str, str]) -> None:
        """Name the model.

        Args:
            model: as the API names it; empty for a cheap one.
            api_key_env: the variable that holds the key.
            environment: the process's.
        """
        self._model = model or DEFAULT_MODEL
        self._api_key_env = api_key_env
        self._environment = environment

    @property
    def name(self) -> str:
        """What made a summary."""
        return f"anthropic ({self._model})"

    def check(self) -> None:
        """Find out whether there is a key, and the SDK.

        Raises:
            UnavailableError: one is missing.
        """
        if not self._environment.get(self._api_key_env):
            raise UnavailableError(
                f"digest.summariser is anthropic, but {self._api_key_env} holds no key: set it "
                "where the client is started, or let digest.api_key_env name the variable"
            )
        from importlib.util import find_spec

        if find_spec("anthropic") is None:
            raise UnavailableError(
                "digest.summariser is anthropic, but its package is not installed: run "
                "aforesaid setup --with anthropic"
            )

    def summarise(self, text: str, instruction: str, limits: SummaryLimits) -> str:
        """Return what the model says.

        Raises:
            UnavailableError: it did not answer, or not in time.
            InvalidInputError: the text is too long, or the model refused it or was cut off.
        """
        check_size(text, instruction, limits)
        self.check()
        import anthropic

        try:
            with anthropic.Anthropic(
                api_key=self._environment[self._api_key_env],
                base_url=self._environment.get("ANTHROPIC_BASE_URL") or None,
                timeout=limits.seconds / (_RETRIES + 1),
                max_retries=_RETRIES,
            ) as client:
                message = client.messages.create(
                    model=self._model,
                    max_tokens=limits.output_tokens,
                    system=instruction,
                    messages=[{"role": "user", "content": text}],
                )
        except anthropic.BadRequestError as error:
            raise InvalidInputError(f"the API refused the request: {_short(error)}") from error
        except anthropic.AnthropicError as error:
            raise UnavailableError(
                f"the API did not answer ({type(error).__name__}: {_short(error)})"
            ) from error
        return _words(message)


def _words(message: anthropic.types.Message) -> str:
    if message.stop_reason in {"refusal", "max_tokens"}:
        raise InvalidInputError(f"the model stopped with {message.stop_reason}")
    return "".join(block.text for block in message.content if block.type == "text")


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:_SHOWN]
