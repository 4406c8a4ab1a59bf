"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@ce43ac15"
LASTING = (
    0.1439,
    {
        "acceptance": -1.673,
        "acknowledgement": 1.844,
        "affirmation": -0.519,
        "all_projects": 5.561,
        "amendment": -0.763,
        "aside": 0.231,
        "assistant_decision": 3.139,
        "back_reference": 0.159,
        "blame": 0.227,
        "cause": -0.641,
        "choice": 0.301,
        "code_element": -0.123,
        "complaint": -0.587,
        "connective": 1.004,
        "constraint": 0.568,
        "contrast": 0.103,
        "copula": 1.827,
        "correction": 0.421,
        "correction_opening": -0.699,
        "current_work": -0.840,
        "decision": 0.453,
        "denial": -0.968,
        "described_behaviour": -0.807,
        "directive": 0.724,
        "done": 0.046,
        "environment": -0.074,
        "extends_scope": 3.382,
        "fact": 0.325,
        "farewell": -0.902,
        "fixed_since": 4.194,
        "for_good": 1.129,
        "fragment": -0.244,
        "future_work": -0.524,
        "house_rule": -0.045,
        "indefinite": 0.333,
        "label": -0.149,
        "lasting": -0.092,
        "lasting_clause": 4.134,
        "later": -0.648,
        "leaning": -0.097,
        "leaning_person": -0.882,
        "narration": 0.500,
        "negation": 0.204,
        "new_subject": -0.837,
        "next_step": -1.091,
        "open": -0.626,
        "open_label": 0.000,
        "opening": -0.369,
        "option": 0.664,
        "order": -0.756,
        "past": -0.655,
        "personal": -0.203,
        "politeness": -0.027,
        "praise": -2.592,
        "proposal": -0.536,
        "proposal_opening": -0.468,
        "purpose": 0.208,
        "question": -0.965,
        "reason": -0.250,
        "refers_back": -4.962,
        "rejected_value": 0.039,
        "rejection": -1.796,
        "remember": 3.105,
        "reported": -3.219,
        "reversal": -2.410,
        "routine_report": 0.000,
        "rule": -0.296,
        "rule_list_heading": 0.000,
        "rule_word": 0.510,
        "settled": 0.000,
        "stated_decision": 5.231,
        "statement": 0.580,
        "stop": -0.282,
        "takes_back": -0.787,
        "temporary": -1.233,
        "this_project": 0.102,
        "tool": 0.412,
        "unchanged": 0.000,
        "undecided": -0.594,
        "use": -0.295,
        "way_of_working": 0.409,
        "wish": 2.698,
        "by rule": 0.588,
        "is question": -1.983,
        "is order": -0.640,
        "is temporary": -1.233,
        "announces": -2.838,
        "is fact": 0.208,
        "is rule": -0.023,
        "is choice": 0.717,
        "is decision": 5.231,
        "names thing": 0.113,
        "uses": -0.295,
        "denies": 0.257,
        "chars": 4.769,
        "words": 2.166,
        "digits": 0.424,
        "first": -0.253,
        "last": -0.702,
        "count": -1.611,
        "answers": 1.535,
    },
    0.017648,
    (
        "JwPk0K8r/gl26Bcq4SQbGB7u4+Q2FBYg3PvK0VLYFdsmPr5uuv/ZHtneriUF5gxTlh/aNfItyYrwBfI9NiC0C+xJ"
        "4VkKseAVKgw+9eEbKOGwGikkH8fhVv8oBcck6e/2Jx0ssO8k+8oUJvXOJybi4soFAOjD2xn8wOxFCN1PEwD57kEO"
        "wUn9KSgWIesyPTrsDuASCw3n9jESxwoJ/9IU6AAO0BwEuw7sBrDwFto92LP5Gf1XCwNYADER+fDoWQ8pElgMvDbx"
        "DwMFPDzsAh0NRQtSy0gEAf4ZPbcegTkcHgD03d/38unj8hbl3+HVIvr8DLvIxUGa8xhP5/3SMgXABkTNyrLZ4Qz/"
        "FQYXDPkJ1vD4qh3OP9w3OPAhDeoGtyMxxfkY+w+v5to9x/E37MPKnyDP6GUZ/Nir/fQuC9PVtgPCEfyKzhYr5VUb"
        "zQgHvN7FIP3PJt7h8l86IzDh/GMR4U06LMcD+hw4+8AJiO7x1e7CFf76CvroBfEeGRrALmvW"
    ),
    0.004948,
    (
        "+hcT8hMNAhMkLf356rYR0A7pD/QByhDb4vHe7Bj2HBgu9C0rEfPeGQcF5g8JBBr0DAcP+hjo+n/+Ken9Hw8cFAD+"
        "AALVKOX29P/uJerL7SnyGeX/ChYg8CYg1hgKAunxBvwLQev37wHtE9wOE/v94CrlPTMUH+MtKPYXMQHY8TH5sw3q"
        "/BXz9CnmG+X9DgUe+MwL8dwMJwEG6yjmGBAz/dv6DeMHQxoF/BHz8QACEhAZA0v6ECs6R/L2+ejk6TQT+jIFKN3q"
        "9Sz03PTcGALu+QcrFu/oNiAo+jH18uIm9wT+NCMeAA4V9+TLFfAgHeP//B6WC+IRGQcX7wzsw97j9REO6fkb8/8R"
        "Mvbf9O/++dwL9t8F+CL2Ew4fBhvpPBe67DXw4iMFDAAj7wcuCO3o+yfaFuQZ9BbZFSIQ7usNGxUa/PrlECH9A/ng"
        "DBtC9g3xCB8Qw/Ya+iz3zgEc3BH+C8oL7SMACUgiH9jl8iEJ3tAHJRUCRfshEPAO++PsDi4eHfgL/+AD2xfsKugR"
        "AQzxFQ8GGjIaDvgf4gzdAv3lIv/k6Ps0LQISJhMZDur3A+zM6foRCOQf8g7rBtcN6igU2BX+4eP6/jr+/gfjL/sj"
        "IRPm1iYNDhTS/T0B3PriDP/A2t77JusN6+YIBeH63irnLhHuEkYHJBLx4wEGCgcHHcwk9Vn/LWMPG+QGPxrvAM4Z"
        "78gS3SwfDt810DsKHTElIhXeBfc27Be78d0h+tvzBu8LBgYiFDXy6yA4+gUL3hvv8zYV/L/7/eYpFSD56PP+9xn/"
        "6eXhAxL2CiwEIgQb8eXtJ+rT8AX1LPyk8QsLyvM0ANsNP//9AN325v0X/QAWMBZDty/g6gcd+PTvCQDCHvP4Cw/W"
        "77wd4d7uIP0X1u/KCt0b/wEgFL4M2Ar2ztXxEN3czvs/3wHZ+eUO9PMc0MLoAQPI+gQVCuL0v//57e36Ts0JFPgS"
        "9C0WFC3fDxoX9AEMwQL1M94BIgQMCzYI+sgO7f/N8zr9P9Eg2wYWBxUbNec2Nvb/EPPM4hon7Qwp//HZFBj7ABgy"
        "5BsQ7yn9F98UARroDQwq3Sbx6drdIOcMzfwXCfIBChbJHhXtBQvi7dIA2R/2LOv5EPsO/uLq1PEb0OkW5iHd4ssx"
        "NyMyFQ/9/AD1+ucI698ADA8gGRkX7vb82um48xkB+8/IHQIOHwgUHPskBQrx/vjp1MU1CwoXCwcrCxPfxxMdAfzt"
        "Juk0G77XNfMG7B4Y4O4eHdyyDg7sMQzfGRgLA9bw8g0U3hQyC/EE/Az6AOkh/Rv+7/EESwrt++3++vHvBRMUEy7K"
        "7AHo4t/hGUEP+y/nxc4cNgjs8wEKIPz/1RETEQ/M8gcHIg=="
    ),
)
PERSONAL = (
    -1.9119,
    {
        "acceptance": 0.000,
        "acknowledgement": -0.124,
        "affirmation": -0.451,
        "all_projects": 5.653,
        "amendment": -0.099,
        "aside": 0.564,
        "assistant_decision": 1.123,
        "back_reference": -0.525,
        "blame": -0.270,
        "cause": -0.361,
        "choice": 0.385,
        "code_element": 0.296,
        "complaint": -0.082,
        "connective": -0.577,
        "constraint": 0.169,
        "contrast": -0.157,
        "copula": -0.266,
        "correction": 0.306,
        "correction_opening": -0.566,
        "current_work": 0.431,
        "decision": -0.122,
        "denial": -0.750,
        "described_behaviour": 1.469,
        "directive": 0.015,
        "done": -0.389,
        "environment": -0.167,
        "extends_scope": 4.540,
        "fact": -0.162,
        "farewell": 0.000,
        "fixed_since": -0.687,
        "for_good": 1.069,
        "fragment": 0.265,
        "future_work": 1.446,
        "house_rule": -0.397,
        "indefinite": 0.021,
        "label": 0.305,
        "lasting": -0.912,
        "lasting_clause": 1.620,
        "later": 0.579,
        "leaning": -0.111,
        "leaning_person": -0.585,
        "narration": 0.222,
        "negation": 0.262,
        "new_subject": 0.115,
        "next_step": 0.000,
        "open": 1.329,
        "open_label": 0.000,
        "opening": 0.208,
        "option": -0.156,
        "order": 0.220,
        "past": 0.326,
        "personal": 3.408,
        "politeness": 0.020,
        "praise": 0.000,
        "proposal": 5.484,
        "proposal_opening": 0.455,
        "purpose": 0.131,
        "question": 0.908,
        "reason": -0.257,
        "refers_back": 0.000,
        "rejected_value": -0.252,
        "rejection": 0.000,
        "remember": 4.932,
        "reported": 0.000,
        "reversal": 0.000,
        "routine_report": 0.000,
        "rule": 0.306,
        "rule_list_heading": 0.000,
        "rule_word": -0.037,
        "settled": 0.000,
        "stated_decision": -0.167,
        "statement": -0.148,
        "stop": -0.051,
        "takes_back": 0.440,
        "temporary": 0.840,
        "this_project": -0.599,
        "tool": -0.321,
        "unchanged": 0.000,
        "undecided": 0.137,
        "use": 0.489,
        "way_of_working": 1.452,
        "wish": 5.610,
        "by rule": 0.134,
        "is question": 0.420,
        "is order": -0.177,
        "is temporary": 0.840,
        "announces": 0.000,
        "is fact": 0.109,
        "is rule": 0.223,
        "is choice": -0.663,
        "is decision": -0.167,
        "names thing": -0.229,
        "uses": 0.489,
        "denies": 0.295,
        "chars": 0.147,
        "words": 0.495,
        "digits": -0.112,
        "first": 0.211,
        "last": 0.263,
        "count": -0.380,
        "answers": -0.162,
    },
    0.009755,
    (
        "wywe0g0BFy/XI4/lCu4g6/bv5g36ByPLuQFM+N0NzffqI+A3KRQV+bsyXfh14BbiCayiLuj+IvwqNezQHd8kHBoe"
        "Li7SLM9b4VXP+/8DFgO+Htgk5M88Hgws3fTz/0Uz6NfT0DbwO+gqfutE5OPj9q3oNRpDDi/p6EjhDe3k1wDp8NBV"
        "6MzV2tovY+clKALqE9DqMsrhO+r1vxPhzZLw1+m850UADPfOTk8IDSPp/cHh4ssNOt4X4wkN+waUouXYr/juHeLh"
        "Kfj66lQk2JIVyjr+BQohzmTsONGq+yzE9AAfBC4rv18B8Szy6/zz+eUewdNN+8t/9s/sCR/j+9QbDMsZJAnizOLF"
        "r+H6wuLAGj7tNgInCQsV6BTh9/LGDwj97PrrCCXAD/7t6fXiKBDwS2QIF964UdIpCtW8GzfwBwH6+Dnv0iOLK76h"
        "ZdgEMiMyWL4Y9v4v8CLqV1ot5NoiFbwUHckTEAAkR0E+YvcCN/rFHqtN5DgUXq4+4iQbarW5"
    ),
    0.002045,
    (
        "CNQ88QY6+RHeIAQE9+bk0fb/L+nZ6w8y9AAT/v/uAB4Zy+8gJwn+/dXt5fX3Adsv8ubnMwbxA/HmCAAI7eAXCvD+"
        "D/IDHgrgA/oFMvfZJgLq+PH0BvIDQBfsQs3rAfoIDv8pPCHnKwT/+eAl9gP8JBIL//LqGggsIP31GtkhyuQF/wgb"
        "+Of8Cu8t+uUM7f8PBjL6LDQfTwFAAgI8B/DOFeEaFv8u7AHxyBb8GPz7HxXv+AhE3R3/Geoi2iLh6gb3EhIGCQD0"
        "/9TD3PQDJ+3r+R4C+OzWAQ8B9wQn9vMG59Tk8CDsJ+7p/eTTHuUGzAjSEQHyB9r0JQHfBBsaxAEBKRHs2+nmCyUL"
        "MQzy4BLw3+QG8jDa+EIN8AAG4RbT/DAFIvAuBPfuDBjx8/7/9N3+Fdvq7homGhEIEfnvHAznHdX0Ix3aAQ7j/S1c"
        "1Aob7AX3B/sE9NkXBf0BCPIZBQIJ4A4L7CUG8vsZ/fPw8Q4a9P0G/Agz6toWAhnmBOsV+9zyzPQJ7PkBEwn37/j5"
        "4B0a7+fu7R8iCfblzhPdBMr44yvuDPX72wfr8vf6BffdDAjw4BYj9Qrz8+/uJPUq9gnPDRQJ/tIC8xkIAen7ChEe"
        "CPcMBu0VF8P93hbm5QfpBfURFxfwFDMc6eYEBekRCxXuFPIaDe70/gkE7Ar8+w8CDOch2PP2JCwo4+UdyPwc9eEC"
        "+d0lP/P7++nzxujxHPweDCD8AtkRJvIo/RjxUQz7Cgvx8Afl/9r2zxMd+hQHVOXtBf0T+iD5Ev9LCxUP9j8J+/z/"
        "B/gC8OL37iXk7/EG6AsW7Sv/4goR7RPbBwHw+xn39z0RvAj67dv28AXuG9zpABJgDfBBDxH1EPDpGfNGKwoJ9/se"
        "EOUN6/HzIzwgDxAFMgcR7hDnDAPp6Usy6v7l3/nMBPDzBe4469APEhnoJBwNGH8H/xIW6g/Y9PsGDTH1ChTs0tEO"
        "7+DzMPnuDjX2IPXPNhjh8/INJBQXDfcYCe4M8gkU5Q/63PQc4uoE4xYKCAXW3QIJzOv3A/wS3w0H7ukWI+/83fIk"
        "9zMPA+rn5eQA//7fB98eLgURCwsUOPb6E/IH/fTt4fH86AcELvcN6OjoDfP3Fd34HhT7CArr+gf7CDDjD+zhJPYO"
        "CSAN7i/xOx7bC/kQAQjqJfYAJf4W8BYD5s+9K9/w6g0hC/MM9/VY/hrP1CEBGhQKFPMOJijmCen/4Sjsug4DAxMg"
        "7+ntMxX4ObUNCy0k0+UYOPAKA+gI9Df7Fvn+4QQGPfYI0/4CCfEBAdXtBdwr2+sD9wwICtog4fHH8w/r9twQ5A4B"
        "2ezr6wnz9R3Y8CPRIBQK9MPtGs02v9REIAH28Cj1HeMR6w=="
    ),
)
