"""A quality report as plain data, without the text of memories that contain a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.services.maintenance.quality_report import SECRETS

if TYPE_CHECKING:
    from aforesaid.services.maintenance.quality_report import Example, QualityFinding, QualityReport

    from .labels import LabelResolver


def quality(report: QualityReport, names: LabelResolver) -> dict[str, Any]:
    """Return each finding with its count, the number checked, and examples."""
    return {
        "total": report.total,
        "findings": [
            {
                "what": finding.name,
                "count": finding.count,
                "looked_at": finding.checked,
                "examples": [_example(finding, example, names) for example in finding.examples],
            }
            for finding in report.findings
        ],
    }


def _example(finding: QualityFinding, example: Example, names: LabelResolver) -> dict[str, Any]:
    fields = {"id": names.short(example.key)}
    if example.other is not None:
        fields["other"] = names.short(example.other)
    if finding.name != SECRETS:
        fields["memory"] = names.preview(example.key)
    if example.detail:
        fields["detail"] = example.detail
    return fields
