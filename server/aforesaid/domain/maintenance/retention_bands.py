"""Groups memories by retention, for reports."""

from __future__ import annotations

from aforesaid.domain.model.decay import activation

from .archive import is_decayed, may_be_cleaned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory

    from .thresholds import Thresholds

WELL, FADING, FADED, DOUBTFUL = "well kept", "fading", "faded", "due for cleanup"
WELL_KEPT = 0.25  #: activation of a memory of medium importance after three weeks


def retention_band(memory: Memory, now: int, limits: Thresholds) -> str:
    """Return the band of a memory: ``WELL``, ``FADING``, ``FADED`` or ``DOUBTFUL``."""
    if may_be_cleaned(memory, now, limits):
        return DOUBTFUL
    if is_decayed(memory, now, limits):
        return FADED
    well_kept = memory.pinned or activation(memory, now, limits) >= WELL_KEPT
    return WELL if well_kept else FADING
