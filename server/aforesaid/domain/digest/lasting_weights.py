"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@ce43ac15"
LASTING = (
    0.1424,
    {
        "acceptance": -1.672,
        "acknowledgement": 1.852,
        "affirmation": -0.520,
        "all_projects": 5.574,
        "amendment": -0.748,
        "aside": 0.232,
        "assistant_decision": 3.144,
        "back_reference": 0.153,
        "blame": 0.220,
        "cause": -0.641,
        "choice": 0.311,
        "code_element": -0.123,
        "complaint": -0.586,
        "connective": 0.998,
        "constraint": 0.574,
        "contrast": 0.102,
        "copula": 1.831,
        "correction": 0.422,
        "correction_opening": -0.700,
        "current_work": -0.833,
        "decision": 0.457,
        "denial": -0.963,
        "described_behaviour": -0.788,
        "directive": 0.726,
        "done": 0.046,
        "environment": -0.073,
        "extends_scope": 3.415,
        "fact": 0.328,
        "farewell": -0.907,
        "fixed_since": 4.197,
        "for_good": 0.998,
        "fragment": -0.247,
        "future_work": -0.512,
        "house_rule": -0.057,
        "indefinite": 0.330,
        "label": -0.146,
        "lasting": 0.009,
        "lasting_clause": 4.140,
        "later": -0.658,
        "leaning": -0.096,
        "leaning_person": -0.891,
        "narration": 0.498,
        "negation": 0.202,
        "new_subject": -0.842,
        "next_step": -1.087,
        "open": -0.616,
        "open_label": 0.000,
        "opening": -0.368,
        "option": 0.668,
        "order": -0.755,
        "past": -0.660,
        "personal": -0.205,
        "politeness": -0.030,
        "praise": -2.493,
        "proposal": -0.555,
        "proposal_opening": -0.458,
        "purpose": 0.215,
        "question": -0.965,
        "reason": -0.246,
        "refers_back": -4.947,
        "rejected_value": 0.043,
        "rejection": -1.812,
        "remember": 3.091,
        "reported": -3.221,
        "reversal": -2.413,
        "routine_report": 0.000,
        "rule": -0.289,
        "rule_list_heading": 0.000,
        "rule_word": 0.520,
        "settled": 0.000,
        "stated_decision": 5.238,
        "statement": 0.576,
        "stop": -0.287,
        "takes_back": -0.797,
        "temporary": -1.230,
        "this_project": 0.104,
        "tool": 0.401,
        "unchanged": 0.000,
        "undecided": -0.598,
        "use": -0.298,
        "way_of_working": 0.417,
        "wish": 2.795,
        "by rule": 0.590,
        "is question": -1.991,
        "is order": -0.640,
        "is temporary": -1.230,
        "announces": -2.857,
        "is fact": 0.208,
        "is rule": -0.025,
        "is choice": 0.714,
        "is decision": 5.238,
        "names thing": 0.113,
        "uses": -0.298,
        "denies": 0.259,
        "chars": 4.778,
        "words": 2.168,
        "digits": 0.429,
        "first": -0.254,
        "last": -0.702,
        "count": -1.613,
        "answers": 1.536,
    },
    0.017609,
    (
        "JwTj0LAq/gh26Bkq4SUcGR/u4+Q2FBUg2/zL0VLZFdkmPL5uuv7YH9nerSUG5QtTlB/aN/ItyorvBfE+NiGzCutJ"
        "4loKsd8UKQw+9uAbKeGwGyojH8fhVv8mBMYl6e/2Jh4ssPAl/MoVJfXNJyTh4coFAObC2xj7wOtHCN5QEwD57kEP"
        "wEj9KikWIewzPjvsDOETCw/o9jASxwoJANQU6P8O0BwDuw3sB7DvFNk92LX5Gv5YCgRXADIR+vDoWg4pEVcNvTbx"
        "EAMFPDzrAx0NRgxSykgEAf8ZPrYdgTgbHgD13N/48enj8Rfk4OHUI/n9DLvIxEKZ8xhP5/zTMgXAB0XNybPZ4Qz/"
        "FgYXDfcL1e/4qh7PP903OO8hDeoGtiMyxfgZ+hCu5to+yPE368LInSHN6WQX/der/vQuC9PVtQPCEvuLzhYq5VQb"
        "zQkGvN7GIf3PJ93g8l86JC/i/GMS4kw6LMYD+xw4+8AIh+7w1e7BFf77C/rpBPIeGRm/LmvW"
    ),
    0.004948,
    (
        "+RgT8xMOAhMkLf756rYR0ArpD/UAyhHc4vLe7Bn2Gxgt8ywsEfPeGAcE5g8JBBr1DAgO+xjm+n/+Ken+Hw8bFAD9"
        "AAHUJ+X29P/uJerL7SnyGeX/Chcg8CYg1hgKAunxBv0LP+v38AHuE9wOE/v93yrlPTQUH+MuKPYXMQLZ8TH6sw3r"
        "+xXz9CrmG+b6DwUe+MwL8t0LJwEG7CjnGBA0/dv7DeMIRBoE/BHz7wADEhAaA0z6ECs7R/L2+ufl6TQT+jIFKN3p"
        "9Sz03fTcGALv+QcrF+/oNyAp+zL28uIn9wX/NCMfAA0V9+TLEfAgHeQA/R6WC+MQGQcV8Azsw93j9RIP6fkb8/8S"
        "Mvbe8+3++dwL9uAF+CL2Ew8fBRvoPBe67Dby4iIEDQAj8AcuB+3o/CfZFuQZ9BbaFSIR7usOGxUa+/rmECL+A/ng"
        "CxtC9A3xCB8Qw/Ya+i33zgEc3BH+DMsK7SP/CkgiINjl8SEK3dEHJhYCRvshEe0O++HsDS4fHvgL/eEE2xftKugR"
        "AQ3xFQ8GGjIaDvge4gzdAv3mIgDk6Pw1LQITJhMZDun4A+zM6foSCeQf8g7sB9cN6igU2BT+4eP6/jr+/QfiL/sj"
        "IRPm1iYNDhTS/TwA3PviDf/B2977JusL6+YHBeH53yrnLhLuE0YHJBLy4wEGCggGHcwj9VkALWIPG+UFQB3wAM4a"
        "78gS3iweDd810DsKHTEmIhXdBfc26xe78doe+tvxBu8MBgYiEzXy6yE4+gML3hzv8zYW/L/7/eYoFSD56PP+9xr/"
        "6eThAhP2CywEIgQb8eXtJ+rT8Ab1LPul8QsLyvM0/9wNP/7+ANz25vsX/QEVMBZDty/g6ggd+PTwCf/BHvP4Cw/W"
        "77wd4d7uIP0X1u/KCt0a/wEgFL4M2Qr1y9XxEN3czvs/3wLY+eQO9PIczsLoAgPI+gQUCt/1v//57u35Ts0JFPkS"
        "9C0WFC3fDxoX9AEMwQL1M94BIgUMCjUJ+sgO7f7M8zr9QNEg2gQWBxYbNuc3N/b/EfPM4hkn7Q0pAO7ZFRn7ABgy"
        "5RsQ7ij+F+AUARvoDAwq3ibx6NrdIecMzfwXCfIBChbJHxLtBQvi7dL/2CD2Lev5EPsO/uLq1PEZ0eoV5iDd4ssx"
        "NyMyFQ/5/AD1+ucJ698ADA4gGRkX7fb82+q48xoB/NDIHAIOHwcUHPwkBQrx/vfp1MU2CwoXCwcrCRPfyBMeAPzt"
        "J+k0G77YNfMG6x8Y4O4eHdyyDQ/sMAzhGhgLBNfw8g0U3xQyC/EE/Q35AOkh/Rv+7vEESwrt+e7++vHvBRMUEyzL"
        "7AHp4t/hGUEP+y/nxs4dNgnt8wEKIPv91hATEQ7M8QcDIg=="
    ),
)
PERSONAL = (
    -1.9143,
    {
        "acceptance": 0.000,
        "acknowledgement": -0.117,
        "affirmation": -0.449,
        "all_projects": 5.652,
        "amendment": -0.101,
        "aside": 0.562,
        "assistant_decision": 1.111,
        "back_reference": -0.528,
        "blame": -0.269,
        "cause": -0.362,
        "choice": 0.381,
        "code_element": 0.297,
        "complaint": -0.085,
        "connective": -0.575,
        "constraint": 0.167,
        "contrast": -0.155,
        "copula": -0.264,
        "correction": 0.307,
        "correction_opening": -0.565,
        "current_work": 0.432,
        "decision": -0.122,
        "denial": -0.752,
        "described_behaviour": 1.458,
        "directive": 0.015,
        "done": -0.391,
        "environment": -0.175,
        "extends_scope": 4.539,
        "fact": -0.164,
        "farewell": 0.000,
        "fixed_since": -0.679,
        "for_good": 1.090,
        "fragment": 0.265,
        "future_work": 1.444,
        "house_rule": -0.399,
        "indefinite": 0.020,
        "label": 0.307,
        "lasting": -0.923,
        "lasting_clause": 1.624,
        "later": 0.584,
        "leaning": -0.111,
        "leaning_person": -0.586,
        "narration": 0.220,
        "negation": 0.261,
        "new_subject": 0.109,
        "next_step": 0.000,
        "open": 1.329,
        "open_label": 0.000,
        "opening": 0.205,
        "option": -0.154,
        "order": 0.222,
        "past": 0.325,
        "personal": 3.409,
        "politeness": 0.018,
        "praise": 0.000,
        "proposal": 5.483,
        "proposal_opening": 0.457,
        "purpose": 0.132,
        "question": 0.908,
        "reason": -0.257,
        "refers_back": 0.000,
        "rejected_value": -0.250,
        "rejection": 0.000,
        "remember": 4.932,
        "reported": 0.000,
        "reversal": 0.000,
        "routine_report": 0.000,
        "rule": 0.306,
        "rule_list_heading": 0.000,
        "rule_word": -0.038,
        "settled": 0.000,
        "stated_decision": -0.167,
        "statement": -0.147,
        "stop": -0.045,
        "takes_back": 0.445,
        "temporary": 0.842,
        "this_project": -0.597,
        "tool": -0.317,
        "unchanged": 0.000,
        "undecided": 0.136,
        "use": 0.487,
        "way_of_working": 1.449,
        "wish": 5.609,
        "by rule": 0.135,
        "is question": 0.426,
        "is order": -0.173,
        "is temporary": 0.842,
        "announces": 0.000,
        "is fact": 0.112,
        "is rule": 0.223,
        "is choice": -0.668,
        "is decision": -0.167,
        "names thing": -0.232,
        "uses": 0.487,
        "denies": 0.293,
        "chars": 0.147,
        "words": 0.493,
        "digits": -0.111,
        "first": 0.211,
        "last": 0.263,
        "count": -0.379,
        "answers": -0.162,
    },
    0.009815,
    (
        "wyse0Q0BFy/YIZHlCu4g7Pbv5wz7BiLLugBM+d4MzffqI+E2KRQU+LsyXPlz3xbiCq2jLej+IvwpNOvQHeEkHBod"
        "LS7SK9Ba4lTP+/4DFgO+Htgl4887HQws3vPz/0Uy6djU0TXwOugqfetE5OPj967nNRlCDy/o6EfgDu3l2ADp7tFU"
        "6c3V2touYuclJgPqE9DqMcviOuv0vxPiz5Tx1+m+50QADPfPTU4HDSPo/sPi4soNOt8X4wgO+weUo+bYsPjuHOLi"
        "Kvj66lMj2ZMUyjr/BQohz2PsONKq/CvF9AAfBC4qwF4B8Sry6/3z+uUewtNN+sx/9c/tCR/j+9MbDcwZIwnizOLF"
        "sOD6wuLBGj3tNgMmCgwU6RTi+PLHDgf97PrrCCW/D//t6fXjKBDvSmMIGN24UNIpCda8GjbwBwH5+Drv0yOMK7+h"
        "ZNgEMyMyWb4X9/8v8CPpVlks5NohF70UHcoSEf8kR0I+YvcBNvrFH6xN5DcTXa8+4SUaarW6"
    ),
    0.002046,
    (
        "CNM88QY6+RHeIAQE9ufk0fYAL+nT6w8y9AAT/v/uAB4Zy+8gJwn+/dXt5fX3Adwv8ubkMwbxA/HnCAAI7eARCvD+"
        "D/IDHgrgA/sFMvfZJgLq+PH0BvIDQRfsQs3rAvoIDv8pPCHnKwQA+eAl9gT8Hw8L//PqGggtIP31Gdkiy+QF/wgb"
        "+ej8Cu8t+uUM7f8PBzH6LTUgTwBAAgI7B/DOFeEaF/8u7QHxyBL8GPz7HxXw+AhE3B3/Geoi2yLh6gf2EhIHCQD0"
        "ANTD3fQEJ+3r+R8D+OzWAQ8B9wQo9vMG59Tk8CDtJ+7p/eTUHuUHzQjSEQHyCNr0JQHgBRsaxAECKhHt2unnCyUL"
        "MQ3y4BLw3+QG8jHa+EMN8AAG4RbU/DAFIvAuBPfvDBjx8/4A9d3+FNvq7homGhEIEfjvHAznHtX0Ix3aAQ7j/S1c"
        "1Aob7AX3B/sE9NkYBfwBCPIZBQIJ4A0H7CYG8vsZ/fPw8Q4a9P0G/Akz6toWAhrmBOYV+9zyzPQJ7PkBEwn37/j5"
        "4B0a7+fu7R8iCfbmzhPeBMr44yvuDPX82wfr8vf6BffdDAjw4BYj9Qnz8+/uJPUq9gnPDRAK/tIC8xkIAen7ChEf"
        "B/cMBu0VF8P93hHm5gfpBvURFxfwFDMc6eYEBekSCxXuFPMaDe70/gkE7Ar8+w8CDOch2PP3JCwo4+QcyPwc9eEC"
        "+d0lP/T7++n0x+jxHPweDSD8AtkRJvIo/RjxUQz7Cgvx8Afl/9r20BMc+hQHVOXtBf0S+iD5Ev9LCxUP9j8J+/z/"
        "B/gC8OL47iXk7/EG6AwW7Sv/4gsR7RPbBwHw+xr39z0RvAj67tv28AbuGtzmABJgDvBBDxH1EfHpGPNGLAoJ9/se"
        "EOYN6/HzIzwgDxAFMgcR7hDnDALp6Uwy6v/l3/nMBfD0Be437NAPEhToHhwNGX8H/xIQ6g/Y9PsHDTH1ChXs0tIO"
        "7+DzMPnuDjX2IPXPNhjh8/INJBQXDfcYCe4M8gkU5Q/63PQc4uoD4xYKCAbW3gIIzOv3A/cS3w0H7ekWI/D83fIk"
        "9zMPA+ro5eQA///fB+AeLgURCwsUOPf6E/IH/fTt4fH86AIELvcN6OjoDfP3Fd74HRT8CArr+gf7CDDjD+jhJPYO"
        "CSAN7i/xOx/bC/oQAgjqJfcAJv4W8BUD5s+9K9/w6Q0hC/MM9/ZY/hrQ1CEBGhQKFPMPJijmCen/4Cjsuw4EAxQg"
        "7+ntMxX4ObYNDC0k0+UYOPALA+cH7zf7Fvn+4QQGPfYI0/sDCfEBAdXtBdwr2+sD9wwIC9og4fHG8w/s9twQ5AwB"
        "2uzr6wnz9B3Y8CTRIBQK9cPtGs02v9RAIAH28Cn1HuQL7A=="
    ),
)
