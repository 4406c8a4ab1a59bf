"""What a look through the store found, as plain data. Of a memory with a secret its text is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.services.maintenance.quality_report import SECRETS

if TYPE_CHECKING:
    from aforesaid.services.maintenance.quality_report import Example, QualityFinding, QualityReport

    from .labels import LabelResolver


def quality(found: QualityReport, names: LabelResolver) -> dict[str, Any]:
    """Return each finding with its count, of how many, and examples."""
    return {
        "total": found.total,
        "findings": [
            {
                "what": one.name,
                "count": one.count,
                "looked_at": one.looked,
                "examples": [_example(one, example, names) for example in one.examples],
            }
            for one in found.findings
        ],
    }


def _example(finding: QualityFinding, example: Example, names: LabelResolver) -> dict[str, Any]:
    told = {"id": names.short(example.key)}
    if example.other is not None:
        told["other"] = names.short(example.other)
    if finding.name != SECRETS:
        told["memory"] = names.preview(example.key)
    if example.detail:
        told["detail"] = example.detail
    return told
