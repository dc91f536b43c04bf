"""The secret of an outside memory: from the environment, else from the OS keyring, never from a file of ours."""

from __future__ import annotations

from collections.abc import Mapping

from memory_fabric.errors import SourceUnavailable


def secret_of(
    name: str, token_env: str | None, keyring_service: str | None, environment: Mapping[str, str]
) -> str | None:
    """The secret of source ``name``; None where its entry names no place for one.

    ``keyring_service`` is asked, under the user ``name``, when the variable is not set or none is named.

    Raises:
        SourceUnavailable: the named places hold none, or the keyring cannot be asked; the hint says where to put it.
    """
    if token_env is not None and environment.get(token_env):
        return environment[token_env]
    if keyring_service is not None:
        return _from_keyring(name, keyring_service)
    if token_env is not None:
        raise SourceUnavailable(f"{name}: the variable {token_env} is not set", f"set {token_env} to its secret")
    return None


def _from_keyring(name: str, service: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise SourceUnavailable(
            f"{name}: its secret is in the OS keyring, and the package for it is not installed",
            "pip install 'memory-fabric[keyring]', or name a variable instead",
        ) from error
    try:
        found: str | None = keyring.get_password(service, name)
    except KeyringError as error:
        raise SourceUnavailable(
            f"{name}: the OS keyring cannot be asked: {' '.join(str(error).split())}",
            "unlock it, or name a variable instead",
        ) from error
    if not found:
        raise SourceUnavailable(f"{name}: the OS keyring has nothing for {service!r}", f"keyring set {service} {name}")
    return found
