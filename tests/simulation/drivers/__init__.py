"""Clients of a simulated cluster that speak the protocol and nothing else, and the history that judges what they saw."""
