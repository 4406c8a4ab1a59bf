"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each table has the bias, the weights of the features, and for the vector and the slots a step and
weights in units of it (int8, base64).
"""

from __future__ import annotations

WISH = (
    -1.7087,
    {
        "acceptance": 0.104,
        "acknowledgement": -0.028,
        "affirmation": -0.268,
        "all_projects": 16.888,
        "amendment": -0.402,
        "aside": 0.132,
        "assistant_decision": -0.620,
        "back_reference": -0.238,
        "bare_ask": 0.000,
        "blame": 0.212,
        "cause": -0.084,
        "choice": -0.038,
        "code_element": 0.027,
        "complaint": 0.000,
        "conclusion": 0.113,
        "connective": -0.231,
        "constraint": -0.128,
        "contrast": -0.119,
        "copula": -0.230,
        "correction": 0.186,
        "correction_opening": -0.364,
        "current_work": -0.112,
        "decision": -0.006,
        "denial": -0.080,
        "described_behaviour": 0.044,
        "diagnosis": -0.274,
        "directive": 0.366,
        "dismisses": 0.103,
        "done": -0.228,
        "environment": -0.100,
        "exception": 0.094,
        "extends_scope": 13.496,
        "fact": -0.034,
        "farewell": 0.160,
        "fixed_since": 0.089,
        "for_good": 1.016,
        "fragment": 0.052,
        "future_work": 0.305,
        "house_rule": -0.003,
        "indefinite": -0.181,
        "label": 0.003,
        "lasting": -0.644,
        "lasting_clause": -0.124,
        "later": -0.210,
        "leaning": -0.015,
        "leaning_end": 0.532,
        "leaning_person": -0.316,
        "modal_question": 0.186,
        "narration": 0.105,
        "negation": 0.028,
        "new_subject": 0.351,
        "next_step": -0.021,
        "open": 0.136,
        "open_label": 0.000,
        "opening": 0.343,
        "option": 0.089,
        "order": -0.064,
        "partial_yes": 0.499,
        "past": -0.033,
        "personal": 0.381,
        "politeness": -0.139,
        "praise": -2.293,
        "proposal": 0.641,
        "proposal_opening": -0.021,
        "purpose": 0.073,
        "put_off": 0.244,
        "question": 0.242,
        "reason": -0.135,
        "refers_back": -0.158,
        "rejected_value": -0.056,
        "rejection": -0.030,
        "remember": 2.490,
        "reported": -0.145,
        "reversal": -0.203,
        "routine_report": 0.235,
        "rule": -0.044,
        "rule_announcement": 0.000,
        "rule_list_heading": 0.000,
        "rule_word": 0.109,
        "settled": 0.000,
        "stated_decision": 0.166,
        "statement": -0.042,
        "stop": -0.212,
        "takes_back": -0.077,
        "temporary": -0.341,
        "this_project": -0.330,
        "tool": -0.115,
        "unchanged": 0.001,
        "undecided": -0.132,
        "use": 0.056,
        "way_of_working": 0.381,
        "wish": 1.431,
        "yes_but": 0.086,
        "by rule": 0.049,
        "is question": -0.274,
        "is order": -0.047,
        "is temporary": -0.067,
        "announces": -0.929,
        "is fact": -0.049,
        "is rule": 0.146,
        "is choice": -0.167,
        "is decision": -0.226,
        "names thing": 0.019,
        "uses": 0.056,
        "denies": -0.126,
        "chars": -0.005,
        "words": 0.644,
        "digits": -0.086,
        "first": 0.172,
        "last": 0.019,
        "count": -0.162,
        "answers": 0.064,
    },
    0.010317,
    (
        "AC/oAQHWHfoDUh4ZCUNQ178ixZreAP0E6/AD0zLdxMEE6uxQxRrh2JtILSIxsQIU6OfVEuQRJeVLFPXXIthHEP4h"
        "EE7Z/cQgBTz9LBEAFuybQ7IzC+QtQBol190u+SXeGxAB2hv0J/sxW/P8QPDT+O3vHRX9BxbV59rsDPAb1/AB2Qhb"
        "Bgffzi0Tf9c38vAH+ucPLQbdJezn7QfBxssNFezn6QjcyyT5Cyn+EUki4snd2vrhL+8f8DLI7MfG8/T3zSkR+Pz1"
        "MtAmEkwX6sn/LDD2Bw4C+kjY7Ovo3+oE9gLgBRg06BQW9xzS8xH55tzgquY9BNMc+dcQ8er1Aevb/gYU5Av0Cgv/"
        "8uEUxuCx5gTZ6Prl/fMU7AYE0wcQCRUu5fAd+Q3p2fjrEN3fHdbYREbv4RLHQQoSFurw5fQK3wUJEyzf5A6hLb6Z"
        "9NkMGi4TJMVGIx4xuBAYGB1DBPc23/MjEMQTQPP9MxT4Js0YMPzNF8UUAu8uSgIltwD2O9ID"
    ),
    0.002450,
    (
        "994ZERBhA/rsEjIU+O8E0svTMxTy8AkP0Sbq+CzqAxTd1QgzQAPJGeIG8RgNDf4xFffkEBP+K+HWA+fm6Mod3dIH"
        "+xP0MfL+7Qwl/uTd/RLYKPH98/ASNi3HC9EH1fcJCvkWGhwvHiHyAfgHIt/y/h0EAxwE+wMYLvj/SukUuMhNEDBB"
        "9wb2DA8K++sQ9gBg2RD+7/ETSQRCBDsEHCTZEsUPF9BABf35zSzkMPUJ5AdF9AEyxSc0N/cM5AbWHlXSLALz7NzZ"
        "/Bv67xs1TtLWBvz/7Nfz9PD//gAS4PtD5NjzEjlBIQb7HuDeFtcR9+wlFgj/8vwCP+TXEwEf7xEQ3gvg0M/s/gQU"
        "VRfm7Ar3yADk2DoE+CAl2ekb/B7W9UHl8fcNzwns5SjnUP79+OTjFB70DDQlEN3vETDg4wRVHM7wCu7q+DUO7wIw"
        "4/go3hfW/RFK5gU0AeIs3wgsMOHzAwYKCQjy6/hiB+XC2TUVLwMD6e8T4eX+8wXc/QAR+eQk/UcD3BvH+jQV9RP2"
        "8Boy+8cC/e0n4LMH9A/++60OJhsBGwoKMw3rIuv88Cb8AOfl8OcZ9OZS4Az1Lvgz7ggIFArw16/wKT4I8+7ICcsh"
        "ARoCAvkcABT72UQRw/3j7/70/kXWJff13O7vB+kkHg7dEtw3Du3dGggY1xQF9/jb7+5E0O4XMEdKBf76C+Hu9fW8"
        "6+EgJ//5KOYvqQfSPBIeDw0Z79DpHdPlERkW+Of+L/vyKCQF7OIEzwU8J+YjGNH6CB8U//gaQBY5FTL75TwTzQQG"
        "JukFECvjwQ/uCOvy2gPt+DjrBx76FgWnEPUOAfT370oN1vv65+n53cv6Af332BIyzvJ33xBCFRXSH8xVHvS+MzEW"
        "DRM3+/bLCSYrCyv7Mv/m5UgoEdv7+hwq8eze2Qru5gLwE+4l89g2MAry5z7++WLU8vQC9v7k3+UF4BgQCubo4sPR"
        "xc4dAAXXNxD/Igbf9tfZ+dX8GDIgDh4bEwUH6v/PEBT1/vD0/w3d5dk3PdzWu/vQ6sTS/vxJ7xnRFtcNE/AM9u5n"
        "/jP8D9D68ug+BisLEvQ4BAUe1wb5PxnGOtMD3er389/35ftIEBwUFdoXGdkGA/EwAzX84PrwC0HqChIBEv/d4xcc"
        "CkoC0lXqEjvDJeDu0wH2F/fgXPIXCuP92+i92NjF6S8B9wHY/P9YORjx3RgRQvP8+ec/QUskHP019Rseyy0G9eng"
        "DMn+8vYIO+rwBPXO0N1tJQbqzgEExirdGxj1BvkaHrr34hYHKQ4P190l1/l/GgL0FxP4Lv0G5dq+DQTIzMIb5wvg"
        "8gvq2QoKIwwDEx3lDB0HE+a0+t/iuecp+fkC2zTvDfjoEg=="
    ),
)
