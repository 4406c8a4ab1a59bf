"""Summariser that calls the Messages API through the official SDK (extra ``aforesaid[anthropic]``).

The key comes from the variable named by ``digest.api_key_env``, never from a file; the address from
``ANTHROPIC_BASE_URL`` if set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.text.token_budget import SummaryLimits

from . import check_size

if TYPE_CHECKING:
    import anthropic

DEFAULT_MODEL = "claude-haiku-5-5"  #: the client's "haiku" at the time of writing
_RETRIES = 1
_ERROR_CHARS = 200


class AnthropicApi:
    """A ``Summariser`` that calls the API."""

    def __init__(self, model: str, api_key_env: str, environment: Mapping[str, str]) -> None:
        """Configure the client.

        Args:
            model: the API's name of the model; empty for the default.
            api_key_env: the variable that holds the key.
            environment: the process environment.
        """
        self._model = model or DEFAULT_MODEL
        self._api_key_env = api_key_env
        self._environment = environment

    @property
    def name(self) -> str:
        """The name that is stored with summaries."""
        return f"anthropic ({self._model})"

    def check(self) -> None:
        """Check that there is a key and the SDK is installed.

        Raises:
            UnavailableError: one is missing.
        """
        if not self._environment.get(self._api_key_env):
            raise UnavailableError(
                f"digest.summariser is anthropic, but {self._api_key_env} is not set: set it where "
                "the client is started, or set digest.api_key_env to the name of your variable"
            )
        from importlib.util import find_spec

        if find_spec("anthropic") is None:
            raise UnavailableError(
                "digest.summariser is anthropic, but the package anthropic is not installed: run "
                "`aforesaid setup --with anthropic`"
            )

    def summarise(self, text: str, instruction: str, limits: SummaryLimits) -> str:
        """Return the model's answer.

        Raises:
            UnavailableError: it did not answer in time.
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
        return _text_of(message)


def _text_of(message: anthropic.types.Message) -> str:
    if message.stop_reason in {"refusal", "max_tokens"}:
        raise InvalidInputError(f"the model stopped with {message.stop_reason}")
    return "".join(block.text for block in message.content if block.type == "text")


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:_ERROR_CHARS]
