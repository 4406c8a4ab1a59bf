"""Sentences that users typed to an agent, with whether each stays valid after the session."""
