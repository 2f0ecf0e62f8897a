"""The collector service: receives units over OTLP, evaluates a sample, writes scores back."""

from __future__ import annotations
