"""Clients of a simulated cluster that speak nothing but the protocol, and the history that judges what they saw."""
