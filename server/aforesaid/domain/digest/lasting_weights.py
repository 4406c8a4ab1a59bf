"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@ce43ac15"
LASTING = (
    0.0965,
    {
        "acceptance": -1.616,
        "acknowledgement": 1.833,
        "affirmation": -0.533,
        "amendment": -0.490,
        "aside": 0.281,
        "assistant_decision": 3.142,
        "back_reference": 0.183,
        "blame": 0.206,
        "cause": -0.561,
        "choice": 0.167,
        "code_element": -0.095,
        "complaint": -0.626,
        "connective": 0.953,
        "constraint": 0.601,
        "contrast": 0.105,
        "copula": 1.822,
        "correction": 0.417,
        "correction_opening": -0.667,
        "current_work": -0.876,
        "decision": 0.446,
        "denial": -0.936,
        "described_behaviour": -0.776,
        "directive": 0.731,
        "done": 0.003,
        "environment": -0.055,
        "extends_scope": 3.405,
        "fact": 0.298,
        "farewell": -1.020,
        "fixed_since": 4.181,
        "for_good": 1.035,
        "fragment": -0.161,
        "future_work": -0.277,
        "house_rule": -0.021,
        "indefinite": 0.258,
        "label": -0.149,
        "lasting": 0.024,
        "lasting_clause": 4.165,
        "later": -0.592,
        "leaning": -0.085,
        "leaning_person": -0.882,
        "narration": 0.518,
        "negation": 0.204,
        "new_subject": -0.853,
        "next_step": -1.066,
        "open": -0.518,
        "open_label": 0.000,
        "opening": -0.332,
        "option": 0.692,
        "order": -0.744,
        "past": -0.607,
        "personal": -0.193,
        "politeness": -0.016,
        "proposal": -0.596,
        "proposal_opening": -0.523,
        "purpose": 0.231,
        "question": -0.964,
        "reason": -0.336,
        "refers_back": -5.525,
        "rejected_value": 0.067,
        "rejection": -1.796,
        "remember": 3.019,
        "reversal": -2.355,
        "routine_report": 0.000,
        "rule": -0.285,
        "rule_list_heading": 0.000,
        "rule_word": 0.551,
        "settled": 0.000,
        "stated_decision": 5.282,
        "statement": 0.595,
        "stop": -0.344,
        "takes_back": -0.753,
        "temporary": -1.190,
        "this_project": 0.175,
        "tool": 0.422,
        "unchanged": 0.000,
        "undecided": -0.589,
        "use": -0.275,
        "way_of_working": 0.406,
        "wish": 2.781,
        "by rule": 0.595,
        "is question": -1.968,
        "is order": -0.643,
        "is temporary": -1.190,
        "announces": -2.936,
        "is fact": 0.221,
        "is rule": -0.048,
        "is choice": 0.879,
        "is decision": 5.282,
        "names thing": 0.104,
        "uses": -0.275,
        "denies": 0.238,
        "chars": 4.583,
        "words": 2.100,
        "digits": 0.420,
        "first": -0.235,
        "last": -0.689,
        "count": -1.608,
        "answers": 1.534,
    },
    0.017683,
    (
        "IwPh0LAo/AR76hQr4yIdFRnu5uIzGBkh3AHL00/VFtwmRMByuwDYINnlsSkK4wpUmBvYOPInxo3tAu87OSKzDO1O"
        "41gJsuEUJws6+OUYJuSuGywlJcXkV/4lAcsj6PH1JCEwsu4m+soRKvXRIijj4s4CAuvA4Bv+ve9FCdlMFQD37j4M"
        "wUf1LikZH+kyOjvpD+UQCgvr/CsPygkG+9ca5gAQzB0HuBHsA6vyFd0+26/9HP1cBwRVATER++3iWw8vEVkOvDXz"
        "EQQBPj3o/RwMQwZTzEcLBwMcO7gegjceHgDw2eP26erj8xTn3+TVI/z8DLzIx0OV9hxX5P3QLwbDBEbQy7TZ6g79"
        "FAgWCvMF0/L4pxnRPts1M+sfDOgAsyU0x/sY+g6w6do9ye0668PFmx7S72MV+9ms+/QvBtfRugPCE/yLzhko41Qc"
        "zQgFveDLIP/NI+Lf7mE6ISjk+GkS4ko+L8YB/R03/8EFgfP01PTBFAL7CP/hAfAgFxq/MWnR"
    ),
    0.004957,
    (
        "8BYS7xIQBRIkK/378LAR0xDoEfUBzBHb5PHa6A71HBoo8y4sCPngHAkH6QgLAxr3DAgR+Bbo/H/8KeUCHwwcFgL8"
        "AwLTJ+r09/jpIuvK8SjxGesBDhck8iYg1BkGA+nzB/sIRPD28QDxE9UNEPj+3y3nPDEWIOEwKfYWNgLf7DL8sBDq"
        "+xj19ivmGuX/CgUe/MoO69gOJwME7ijkGAwy/dz8Ct4LRxj7/hPy9/8CFA4a/U38ESw8TujuAujm4DcS+C8EKd7o"
        "+C313fTfHgDx9wklGfLiOCMo9y7x8+Mo+AT/OiUeAw4V+ubLGfQXHugB+x+aCuMUFAQX7Q3txd/j8xEL7PIb8QAS"
        "LPfj9/MC9N8R+OEP+Sf1FRIbCR3rOxe55zfy4ycLDQAi7gQtBu3l/yTaGN8e9hbUGCQS7+oOHBcb/PvoDB7/A/rb"
        "Cxg/9A3yDBwVuPMeARz10gIg2xD4C8cL4iMADEYkG9nh8yIL4dEIIg39RvgbDuoN+ujoDS8fHvQJAd8E3Rf0L+cQ"
        "AxLyDg8LFTcWDfcj7ArYAvroGgDd6P01Mu0JKhgaEO74AujO5vgSCOQh9A3tBdgI7R8W1hcA5OT6AD0B+wvkKfkk"
        "JRbn1yMSChTT+D4B3/vkDvzB3OL7KusK6uUJA9r63yvoMRPtEUABJhHy4gEFCgkFHNAm81oBKmcRGen/Px/w/88b"
        "7sUT4i8cDd820jwGIC8mIRTdBPk26xu78OEh8Nz2DOkOCgUiEjjy6iA5+gkN1xbt8S4W+r749+glFSMF6vD8+RkE"
        "6efiAxD6DCwFGf8d7OTpKOzT7QP1Kv6m9w4LyPM2AdoPP/n9/Nf37v0X/PsXMBVCui7d6gkf+/bvCfvBIffyDQ/f"
        "8Lwf4eHsIvwX1e/NE90W/wIgFL8B4AzvztTwCN3g0Pw93gXc/OUU9/Ybz8TpAwTG+wAWCuT2wQP88e/5UNILFPgP"
        "9S4XFTDkDxkS+AUPwgP2MN0AHwUNDD4E+cwU7ADG7Dj7LdAg4goRBhYGN+s1Pff9FvXM3xcn7g4qA+3dExr7ABQ0"
        "5RUP7yv7Gd0TARvlEA0p5yXz6tzZG+oP0fsQCPIHCxbFIhTuAgjn9dUA3B7yL+v5EPoQ++Po1PYU1OsW5h3d4s8w"
        "OCMxFwz59wL06OgI6eH9DA4ZGhsW6PP82eu98x4B/dLJHgYNIQIUIv0kBAfuBfnp1sQxDgEZAwMrDRreyBUcAPvw"
        "KeM3G8DYLe8E8R0c4vAcH9izExLsMwzjGhcKANju6w4V4RY0DPcJ/hH0/ugj/xr87/ECSQ3t/u4A+/XvBhMaFC7F"
        "7Pzp5eDgHkIQ+jDpyNAWMgzk8gQMIP4K1xIUFwvN8wYBHw=="
    ),
)
PERSONAL = (
    -1.9049,
    {
        "acceptance": 0.000,
        "acknowledgement": -0.099,
        "affirmation": -0.422,
        "amendment": -0.050,
        "aside": 0.601,
        "assistant_decision": 1.130,
        "back_reference": -0.520,
        "blame": -0.381,
        "cause": -0.309,
        "choice": 0.416,
        "code_element": 0.300,
        "complaint": -0.116,
        "connective": -0.586,
        "constraint": 0.200,
        "contrast": -0.155,
        "copula": -0.282,
        "correction": 0.306,
        "correction_opening": -0.505,
        "current_work": 0.402,
        "decision": -0.171,
        "denial": -0.814,
        "described_behaviour": 1.522,
        "directive": 0.039,
        "done": -0.461,
        "environment": -0.163,
        "extends_scope": 4.657,
        "fact": -0.175,
        "farewell": 0.000,
        "fixed_since": -0.675,
        "for_good": 1.007,
        "fragment": 0.293,
        "future_work": 1.527,
        "house_rule": -0.285,
        "indefinite": 0.012,
        "label": 0.296,
        "lasting": -0.873,
        "lasting_clause": 1.633,
        "later": 0.528,
        "leaning": -0.089,
        "leaning_person": -0.681,
        "narration": 0.054,
        "negation": 0.271,
        "new_subject": 0.013,
        "next_step": 0.000,
        "open": 1.410,
        "open_label": 0.000,
        "opening": 0.189,
        "option": -0.186,
        "order": 0.383,
        "past": 0.368,
        "personal": 3.471,
        "politeness": 0.029,
        "proposal": 5.641,
        "proposal_opening": 0.465,
        "purpose": 0.146,
        "question": 0.915,
        "reason": -0.275,
        "refers_back": 0.000,
        "rejected_value": -0.244,
        "rejection": 0.000,
        "remember": 5.053,
        "reversal": 0.000,
        "routine_report": 0.000,
        "rule": 0.293,
        "rule_list_heading": 0.000,
        "rule_word": -0.011,
        "settled": 0.000,
        "stated_decision": -0.163,
        "statement": -0.155,
        "stop": -0.112,
        "takes_back": 0.396,
        "temporary": 0.861,
        "this_project": -0.601,
        "tool": -0.332,
        "unchanged": 0.000,
        "undecided": 0.196,
        "use": 0.482,
        "way_of_working": 1.464,
        "wish": 5.756,
        "by rule": 0.148,
        "is question": 0.452,
        "is order": -0.271,
        "is temporary": 0.861,
        "announces": 0.000,
        "is fact": 0.100,
        "is rule": 0.207,
        "is choice": -0.651,
        "is decision": -0.163,
        "names thing": -0.232,
        "uses": 0.482,
        "denies": 0.249,
        "chars": 0.018,
        "words": 0.481,
        "digits": -0.112,
        "first": 0.219,
        "last": 0.260,
        "count": -0.380,
        "answers": -0.172,
    },
    0.010022,
    (
        "yC4a1gwBGjbaHJHoD/Ae6u7t7w38Bx3NwABO+dwNzvzoI+E2KxYa+7w6YPpx4hblCqqlLeX9JAEqMerMHeEnFhgd"
        "MSnTL9Rb4lDO+v0AEQPDId4j6NY5HA8q2PP2/j8w7uDR0zXrMuglf+Y+4uDl863rMhhAEjDo50jiCOjh2wDj79FS"
        "5cjT6N0uYuQjKPrnF9zpLc7oMer0wRXjypL32ee/4zwAEPTPSU4GCifs98Xi38oRO94X3woM/AOTn+LdtPvwF+bl"
        "KPX47VAg2ZcTyzkE/Qsp0WTtPNiq/CjD8gAlADApvF0C9Snz7//y+usgvtNG/sx5+NHpAB/q/dkdDcsZJBDf0uDG"
        "sOH1wN3BFznuN/wkCAcW5RXg++/JCg796fXpBx7CE/7v8PLjJBbqR18FHOG1TtopD9G5HTnyAQH3+T3x0x+MK72i"
        "ZdEIOCQzVr8Z+f8s9BrtWFUv49cnHrsUHMoUE/0kTT41XvwFOADCIKZL5zcQVq074CYabLay"
    ),
    0.002069,
    (
        "Bdc78AZA+QzgGgUE9+Xkzfj8L+rY7RBG9f8R/v7u/B4Sze8dHAMB/9Lv5vb2A90w8ujpKgXwAfDpCP8G69wVCvL/"
        "Ee8BIQvh/vkBLvPYJgPq9fX2BuoGOxjqP8vmAv0KCgAoPCPpKwD+9+In9AICIxQK//HrHAYtH/3zGdoiy+MBAAUb"
        "9+n7DfIt9+EY7QIQByj8JzQpVAJF/gM7CfDMFt4YFAAv7gLryhX5F/77IBPu9gRC3Bn/F+sf3SDj5wn4EhEFCPz1"
        "/9XH3PMEJOru+SEE9ezXAw3/+QUj+PMH6tjj9iHrLu/t/eXTGucEyAjTFgP0B9z6IgLfAhoZxAMCKg/t3eznCiUL"
        "MAjx4A/13+YH+TDz+kIm8QQF4hLS+i/+H/AuA/X4DRzx8/3+9d79Fdnq7hAlGhIJFQvwHwnkHtjwJR3XARDm/ida"
        "0QoZ6QP2B/wE794XCOUEBfEXBfwN4g0R7yMD9fkb/PHx7w4a9PkG+wYs5d0Y/hDkBOwS/NryzuwI7fgDEQfv8fn0"
        "4iIa6+jx7iAhA/bn2RHcBcz04CjsCPcF4Qfs+/j6BfTdCQXy3wgi9g708O7sI/cm+AnRCBAKAdMB8xgJ/ez4Bgod"
        "BvYMBewVFL7+2xPj+gXqDvISFRnyFDMa6OIDD+MQGhjuFgAXDuf1/Qj+6wv7/wr+B/Yg2PP4JDgi4u4ZxP4l8uEE"
        "+eEnQfH4/efyxertGvoeDSH5BNkPJfQi/hrvSAv7Cgnz8QbkAdzyyREY+BUJTuLqBPsS+iD8FQBGDxkc9kYIC/0F"
        "AfcE7t/27iPs8O8M9AoS8C794wwR6hLZCQHs+hf490ESuwn07d73+AXvG9rm/RBfDPA9EBPzDfToGO5QKQgK+AEi"
        "EOQP7PPwIzUeDg8IMw0P7Q3oCwLh6kMs8P7n4PbOB+/sBe8569QTExbqJB0LGX8E/xQX6w/b8v0LDjLxCxfu0s8C"
        "++PwLf73DjHzJu7QMhTg9PMMJhYRD/gXAv4S8AYV4g383PAb5en94xgKCgPT4f0GyvX4//sR3xAI7e0ZIu/83PIl"
        "9jMSBerm5u/9///gCeAaMAcOCwoSQ/b7F+0I+/Tu4vH76QMCKfYT8unqGvX0Fd75HRX9BQrr+gj4CTDkEOzkJfgL"
        "CBkI8CwDQh3a+fcM/gnqHff9JPsX7xUH6NG/Kufu6wwiCvQM+PNUBRjQ0CL/IhUKFvUQJCnmCvL+6yvpuQoDBBMi"
        "8unoNBf3N7QMDSgt0eQYNu4LBuj89Tf/Evb/4wUFO/cJ0v4FBfD9AdbvAN432e8C8g0HB9Ye4/HG8RXr99wa5hEC"
        "2unp7gX69R7Y8CLUHxQL8cPvG8w3wdJKH/r18CkGHd0N6g=="
    ),
)
