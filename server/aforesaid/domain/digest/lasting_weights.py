"""Weights of lasting.py, written by ``python -m bench.remarks --write``."""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@ce43ac15"
BIAS = 0.4288
FEATURES = {
    "affirmation": -0.494,
    "aside": -0.099,
    "assistant_decision": 2.942,
    "back_reference": -0.016,
    "blame": -0.364,
    "cause": -0.710,
    "choice": 0.218,
    "code_element": -0.128,
    "complaint": -0.658,
    "constraint": 0.733,
    "contrast": 0.301,
    "copula": 2.045,
    "correction": 0.340,
    "correction_opening": -0.799,
    "current_work": -0.819,
    "decision": 0.474,
    "denial": -0.867,
    "described_behaviour": -2.312,
    "directive": 0.827,
    "done": 0.033,
    "environment": 0.052,
    "fact": 0.255,
    "fixed_since": 4.044,
    "fragment": 0.013,
    "house_rule": 0.351,
    "indefinite": 0.005,
    "label": -0.080,
    "lasting": 0.810,
    "lasting_clause": 2.986,
    "later": -0.829,
    "narration": 0.468,
    "negation": 0.149,
    "next_step": -2.004,
    "open": -0.528,
    "open_label": 0.000,
    "opening": -0.147,
    "option": 0.409,
    "order": -0.725,
    "past": -0.625,
    "personal": 0.062,
    "politeness": 0.150,
    "proposal": -0.775,
    "proposal_opening": -0.806,
    "purpose": 0.216,
    "question": -1.091,
    "reason": -0.249,
    "rejected_value": 0.027,
    "routine_report": 0.000,
    "rule": -0.287,
    "rule_list_heading": 0.000,
    "stated_decision": 5.022,
    "statement": 0.524,
    "stop": -0.352,
    "temporary": -1.108,
    "this_project": 0.212,
    "tool": 0.348,
    "undecided": -0.774,
    "use": -0.230,
    "wish": 3.328,
    "by rule": 0.578,
    "is question": -2.031,
    "is order": -0.635,
    "is temporary": -1.108,
    "announces": -2.894,
    "is fact": 0.084,
    "is rule": 0.060,
    "is choice": 0.898,
    "is decision": 5.022,
    "names thing": 0.148,
    "uses": -0.230,
    "denies": 0.096,
    "chars": 4.689,
    "words": 2.045,
    "digits": 0.224,
    "first": -0.246,
    "last": -0.729,
    "count": -1.690,
    "answers": 1.452,
}
VECTOR_STEP = 0.018645
VECTORS = (
    "NQLQ9cAz+Qt/7xUl1B0fFQ/15+BFChsr5vbZ6FvcC+I0QNBexv3YENnOuSwB4wo4qCrhJf0i2ZnwDPtBLC+xEO80"
    "0FIGy+cHLQwp+M8sJeW2ADAUE9biR/UkAM4m+fL6KA4vwfgY6tgHIPXEFR/l3dkGA+fQ1Bj40vQ7EM1LHQD9+DgM"
    "t0L2NSYZGfc4OSjmCvUABQnz9CYZxwcA+7UR6gge2Rr8uyDgBa/lEeI71Mb/HP8/EAJX+h8l5PcBUhExGVkW0jX6"
    "DgkINiP4FSQRRwhRuUEAEQIyLsERhjcNHAD64eDo4f3t6wvx6OrVEQT2B7y90TGb8xRI6PXcLfTHCDu/z7Dy3QgH"
    "DwkZGP0H0+7yqxvaNNc7KOQb/OwcqRsowQUi+Ai/9eE83e4998DCnhnf2WMQ79+uA/QmE8/isAPdKveS0xo26Uof"
    "zw/5wN3NEvbIN+Li7UE4ISvf9FUX20M9MdQL9B4t+K4FkfoC0OXPFfP3BvnVCu8cDAPFLWrj"
)
SLOT_STEP = 0.005155
SLOTS = (
    "AAgM9gcbBg4UNPr8zr8T0AzsEe733ALs4vLk9gj1Fg007y4nGeXqKwUF3A0CAhvrBwMDCQ/o938JLt/+Jw0VDBD3"
    "BPrOG+gB+f4BJ/LY6R7uGegQ/hAZ8B4d4hYKAfXv+/r0NOry9Pz8H+UQCfwH8SjjRiIOGuUkHPUQKwDW3SgHsfne"
    "/hrrASLuIu0QAwEY+MwXBvgIKQMK6xzkHwIi+s/y/+ISShMEEQ307An8IhIQEkD7CyEsO+b8AOXo7y0Q/Sf4Htfp"
    "8y8G7wTcKA317v4nFu7mJiMzEST29twb7wEBLCEU+ggM8e7ZD/oXGejx/BGW++EXFQAW7wfww9jm7xkO8gIl7/UP"
    "Kvzl+/oAAd0Q5dcF+xX/DxMi9xXnOBDP/0UD3iT1//sb/QMmBvrrDSboIdwG8BXhISUT7OkXBRIO+vPgCzX1COvr"
    "EhUk7gr3CxsLv/D3+j3yzf4i2AoDEtoD4RcCAjkdEuPz+h7/3t4IMB70RfcYGPYHANzbEysWHvAR/e7w1yH6E+QQ"
    "CRD9FBMNGiweBP0kAAnfBvbvFv/g6fgzJgceHxQeBeTv/PbL7fMIEu0O6gr7ANII8xkc1Qf48973AjIA/QzrJ/gW"
    "Hgvp4SIZCiHnBznw4vXxF/XS3d4HIP0L8fsD+u302jDlKQzuE0X8Hhr36AAUAAUMF70p/koBJGkOJPL/PB/uAdEU"
    "8r0G5iccB+Af1y0NECseGg7oCwQ4+Bi46dQb/ePvCOIG//k7EisCCRAo8wMK6R/w7isI+8L4APQfHCIH8vMA8yEA"
    "8d/h+hYQCiECBgYS4fn2LOXK/AcBGfys6A/9yOUn/OAMPgcD/OH/6f0K+QEVKA0/yyL46hEH+f30+f3BKfHt/A3a"
    "/8sV3dvlHBgPyfa8CdgVDv0gC7oO4w/40NLtC+Lf4ukt2Q3W7OYC8fUZ0dXy/vLUAPwSBe7+yPT99uX8Q8oLCPsQ"
    "8DAhER7cCBYb5PAOzv7yI+L2JesDEiYD+MwO7fnN7i30NM8TxPkHFxscNOkzN/4GGP3R6TYTEwMwBfPyBBsG/w4t"
    "8xID8BQED/AbACDsGAsX7iDk5OvRMfkJ3f4VEu76FBPkExDh+hbc7N383fYIK/kEA/YbA/bv0vEqvOIf7Czs4sM4"
    "LRsqGgwI+QYB8u4Q7d8DEBYXEBsX9e38yfaz7CgD8s3UDgsDHhYTDPIlBhnv9u/t38UqAwwd+xkhEBLu2xMi8PsZ"
    "G/QzEcjWI/UH9iAa8PAbCNbIFhPuKhLxIB0PGMfk5BAF3gstBfwH9wELEeIkBBn68eUGNQL4/uwEC/D6BxkhChrC"
    "5/T25NzuIDUd+DoBzc0bHgXs9vsNM/0M3g0OBv7c6wkNIA=="
)
