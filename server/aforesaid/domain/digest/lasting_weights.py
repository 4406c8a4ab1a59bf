"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@ce43ac15"
LASTING = (
    0.1413,
    {
        "acceptance": -1.671,
        "acknowledgement": 1.844,
        "affirmation": -0.520,
        "all_projects": 5.560,
        "amendment": -0.768,
        "aside": 0.233,
        "assistant_decision": 3.139,
        "back_reference": 0.162,
        "blame": 0.229,
        "cause": -0.643,
        "choice": 0.299,
        "code_element": -0.121,
        "complaint": -0.588,
        "connective": 1.000,
        "constraint": 0.572,
        "contrast": 0.103,
        "copula": 1.828,
        "correction": 0.421,
        "correction_opening": -0.701,
        "current_work": -0.840,
        "decision": 0.452,
        "denial": -0.964,
        "described_behaviour": -0.811,
        "directive": 0.722,
        "done": 0.046,
        "environment": -0.074,
        "extends_scope": 3.383,
        "fact": 0.315,
        "farewell": -0.899,
        "fixed_since": 4.189,
        "for_good": 1.130,
        "fragment": -0.243,
        "future_work": -0.521,
        "house_rule": -0.047,
        "indefinite": 0.340,
        "label": -0.154,
        "lasting": -0.093,
        "lasting_clause": 4.134,
        "later": -0.649,
        "leaning": -0.097,
        "leaning_person": -0.882,
        "narration": 0.501,
        "negation": 0.204,
        "new_subject": -0.836,
        "next_step": -1.088,
        "open": -0.624,
        "open_label": 0.000,
        "opening": -0.360,
        "option": 0.664,
        "order": -0.756,
        "past": -0.655,
        "personal": -0.202,
        "politeness": -0.028,
        "praise": -2.585,
        "proposal": -0.543,
        "proposal_opening": -0.465,
        "purpose": 0.209,
        "question": -0.964,
        "reason": -0.249,
        "refers_back": -4.974,
        "rejected_value": 0.039,
        "rejection": -1.796,
        "remember": 3.105,
        "reported": -3.214,
        "reversal": -2.406,
        "routine_report": 0.000,
        "rule": -0.298,
        "rule_list_heading": 0.000,
        "rule_word": 0.512,
        "settled": 0.000,
        "stated_decision": 5.231,
        "statement": 0.581,
        "stop": -0.281,
        "takes_back": -0.788,
        "temporary": -1.232,
        "this_project": 0.149,
        "tool": 0.414,
        "unchanged": 0.000,
        "undecided": -0.595,
        "use": -0.296,
        "way_of_working": 0.410,
        "wish": 2.699,
        "by rule": 0.589,
        "is question": -1.985,
        "is order": -0.640,
        "is temporary": -1.232,
        "announces": -2.836,
        "is fact": 0.205,
        "is rule": -0.024,
        "is choice": 0.715,
        "is decision": 5.231,
        "names thing": 0.112,
        "uses": -0.296,
        "denies": 0.251,
        "chars": 4.761,
        "words": 2.159,
        "digits": 0.425,
        "first": -0.253,
        "last": -0.701,
        "count": -1.611,
        "answers": 1.534,
    },
    0.017625,
    (
        "JwTk0K4r/gl26Bcp4SQbGB7u4+M2FBYg3PvK0VLYFdsmPr5uuv/YHtreriUG5g1Ulh7aNfItyYrwBfI9NiGzC+xK"
        "4VkKsuAVKgw+9OEcKOGwGykkH8fiV/8oBMcj6PD2Jx0ssO8k+8oVJvXOJybi4soFAOjC2xj9wexGCN1PFAD47kEP"
        "wUr9KSkWIesyPTrsDeASCw3n9jETxwoJ/9MU6AAO0BwEuw7sBrDwFtk917P5Gv1XCwNY/zER+fDoWg8pElgMvDbx"
        "EAMFPDzsAhwMRQxTzEgEAf4ZPbcegTkcHgD03d/38unj8hbk3+HVIvr8DLvIxUGa8xhP5/3RMgXBBkTNyrLZ4QwA"
        "FQYXDfkJ1vD4qh3PQNw3OPAhDeoGtyMxxPkY+xCv5to9x/A268PKniDP6GUZ+9is/PUuC9PVtQPCEfyKzRYr5VUb"
        "zQkHu97FIPzPJ93g8l86IzDh/GMS4U06LMcD+hw5+8AIiO/x1e7CFf76CvroBfEeGRrALmvW"
    ),
    0.004934,
    (
        "+RcT8hMOAhMkLf356rYR0A7pD/QByhDb4vDe7Bj2HBgu9C0rEfPeGQcE5g8JBBr0DAcP+hjo+X/+Ken9Hw8cFAD9"
        "AALUKOX29P/uJerL7SnyGeX/ChYh8CYg1hgKAunxBvwLQev37wHtE9wOE/v94CrlPTQUH+MuKPYXMgLY8TL5sw3q"
        "/BXz9CnmG+X9DgUe+MwL8dwMJwEG6yjmGBAz/dv7DeMHRBoF/BHz8QACExAZA0z6ECs7R/L1+ejk6TQT+jIFKN3q"
        "9Sz03PTcGALu+QgrFu/oNiAo+zH18uIm9wT+NCMe/w4W9+TLFfAgHeP//B6WC+IRGQcX7wzsw93i9REO6fkb8/4R"
        "Mvbe9O/++dwK9t8F+CL2Ew4fBhzoPBe67Dbw4iMFDAAj8AcuCO3o+yfaFuQZ9BbZFSIQ7usNGxUa+/rlECH9A/ng"
        "CxtC9w3xCB8Qw/Ya+iz3zgEc3BH+C8oL7iMACUgiINjl8SEJ3tAHJRUCRfshEPAO++PsDi4eHvgL/+AD2xfsKucS"
        "AQzwFQ8GGzIaDvgf4gzdAv7lIv/k6Ps1LQISJhMZDur4A+zM6foSCOMf8g3sBtcN6igU2BX+4eP6/jr+/gfiMPsj"
        "IRPm1iYODxTS/T0B3PrhDADA2t77J+sN6+YIBeH63irnLhHuEkYHJBLx4wEGCgcHHcwk9Vr/LWMPG+QGPxrvAM4Z"
        "78gS3SwfDd810DsKHTElIxXeBfc27Be78d0h+tvzBu8MBgYiFDXy6iA4+gUL3hvv8zcW/L/7/eYpFSD56PP+9xn/"
        "6eXhAxL2Ci0EIgQc8eXtJ+rT8AX1LPyk8QsLyvM0ANsNP//9AN315v0X/QAWMBZDty/g6wcd9/TvCQDCHvP4Cw7W"
        "8Lwd4d7uIP0W1u/KC90b/wEgFL4M2Qr2ztXxEN3czvtA3wHZ+eQO9PMdz8LoAQPI+gQVCuL0v//57e35Ts0JFPgS"
        "8y0WFC3fDhoX9AELwQH1M94BIgUMCzYI+sgO7f/M8zr9QNEg2wYWBxUbNec3N/b/EPPL4hon7Qwp//HZFRj7ABgz"
        "5BsQ7yn9F98UARroDQwq3Sbx6drdIOcMzfwXCfIBChbJHhXtBQvi7dL/2R/2LOv5EPsO/uLq1PAb0OkW5iHd4ssx"
        "NyMyFQ/9/AH1+uYI698ADA8hGRkX7vb82um48xoB+8/IHQIOHwcTHPskBQrx/vjp1MQ1CwoXCwcrCxPfxxMcAfzt"
        "Juk0G73XNPMG6x4Y4O4eHdyxDg7sMQzfGhgLA9bw8g0U3hQyC/EE/Az6AOkh/Rr+7vEESwrt++3++vHvBRMUFC7K"
        "7AHo4t/hGkEP+y/nxc4cNgjs8wEKIPv/1RETEQ/M8gcHIg=="
    ),
)
PERSONAL = (
    -1.9115,
    {
        "acceptance": 0.000,
        "acknowledgement": -0.124,
        "affirmation": -0.451,
        "all_projects": 5.653,
        "amendment": -0.094,
        "aside": 0.564,
        "assistant_decision": 1.121,
        "back_reference": -0.543,
        "blame": -0.267,
        "cause": -0.359,
        "choice": 0.386,
        "code_element": 0.294,
        "complaint": -0.082,
        "connective": -0.576,
        "constraint": 0.169,
        "contrast": -0.156,
        "copula": -0.267,
        "correction": 0.304,
        "correction_opening": -0.567,
        "current_work": 0.435,
        "decision": -0.120,
        "denial": -0.749,
        "described_behaviour": 1.467,
        "directive": 0.014,
        "done": -0.389,
        "environment": -0.167,
        "extends_scope": 4.540,
        "fact": -0.162,
        "farewell": 0.000,
        "fixed_since": -0.686,
        "for_good": 1.070,
        "fragment": 0.265,
        "future_work": 1.445,
        "house_rule": -0.397,
        "indefinite": 0.006,
        "label": 0.305,
        "lasting": -0.913,
        "lasting_clause": 1.620,
        "later": 0.581,
        "leaning": -0.112,
        "leaning_person": -0.585,
        "narration": 0.223,
        "negation": 0.262,
        "new_subject": 0.115,
        "next_step": 0.000,
        "open": 1.329,
        "open_label": 0.000,
        "opening": 0.208,
        "option": -0.157,
        "order": 0.220,
        "past": 0.326,
        "personal": 3.408,
        "politeness": 0.020,
        "praise": 0.000,
        "proposal": 5.483,
        "proposal_opening": 0.455,
        "purpose": 0.131,
        "question": 0.909,
        "reason": -0.257,
        "refers_back": 0.000,
        "rejected_value": -0.251,
        "rejection": 0.000,
        "remember": 4.931,
        "reported": 0.000,
        "reversal": 0.000,
        "routine_report": 0.000,
        "rule": 0.307,
        "rule_list_heading": 0.000,
        "rule_word": -0.037,
        "settled": 0.000,
        "stated_decision": -0.167,
        "statement": -0.149,
        "stop": -0.051,
        "takes_back": 0.441,
        "temporary": 0.841,
        "this_project": -0.602,
        "tool": -0.320,
        "unchanged": 0.000,
        "undecided": 0.137,
        "use": 0.490,
        "way_of_working": 1.452,
        "wish": 5.609,
        "by rule": 0.135,
        "is question": 0.419,
        "is order": -0.178,
        "is temporary": 0.841,
        "announces": 0.000,
        "is fact": 0.109,
        "is rule": 0.223,
        "is choice": -0.661,
        "is decision": -0.167,
        "names thing": -0.229,
        "uses": 0.490,
        "denies": 0.295,
        "chars": 0.149,
        "words": 0.496,
        "digits": -0.112,
        "first": 0.212,
        "last": 0.263,
        "count": -0.380,
        "answers": -0.162,
    },
    0.009748,
    (
        "wiwe0g0BFy/YI4/lCu4g6/bv5g36ByPLuQFM+N0OzffqI+A3KRQV+boyXfh14BbiCayiLuj+IvwrNezPHd8kHBod"
        "Li7SLM9b4VXQ+/8EFgO+Htgk4887HQ0s3vTy/0Uz6NfT0DbwO+gqfutE5OPj9q3oNRpDDi/p6EjhDe3k1wDq79BV"
        "6MzV2tovY+clKALpE9DqMsrhO+r1vxPizZLw1+m850UADPfOTk8IDSPp/cHh4csNO94X4wkN+waUouXYrvjuHeLh"
        "Kfj66lQk2JIVyjv+BQoizmTsONGq+yzE9AAfBC4rv18C8Szy6/zz+eUewdNN+st/9s/sCB/k+9QbDMsZJAnizOHF"
        "r+H6wuLAGj7sNgInCgsV6BTh9/HGDgj97PrrCCW/D/7t6fXiKBDwS2QIF964UdIpCdW7GzjwBwH6+Dnv0iOLK76h"
        "ZtgEMyMyWL0Y9v4u8CLqVlst5NoiFbwUHcgTEAAkR0E+YvcCN/rFHqtN5DgVXq0+4SQaa7W5"
    ),
    0.002045,
    (
        "CNQ88QY6+RHeIAQE9ubk0fb/L+nZ6w8y9AAT/v/uAB4Zy+8gJwn+/dTt5fX3Adsv8ubnMwbxA/HmCAAI7eAXCvD+"
        "D/IDHgrgA/sFMvfZJgLq+PH0BvIDQBfsQs3rAfoIDv8pPCHnKwT/+eAl9gP8JBIL//LqGggsIP31GtkhyuQFAAgb"
        "+Of8Cu8t+uUM7f8PBjL6LDQfTwFAAgI7B/DOFeEaFf8u7AHxyBb8GP37HxXv+AhE3R3/Geoi2iLh6gb3EhIGCQD0"
        "/9TD3PQDKOzr+R4C+OzWAQ8B9wUn9vMG59Tk8CDtJ+7p/eTTHuUGzAjSEQHyB9v0JQHfBRsaxAEBKRHs2+nmCyUL"
        "MQzy4BLw3+QG8jDa+EIN8AAG4RbU/DAFIvAuBPfvDBjx8/7/9N3+FNvq7homGhEIEfnvHAznHdX0Ix3aAQ7j/S1c"
        "1Aoc7AX3B/sE9NkXBf0CCPIZBQIJ4A0L7CUG8vsZ/fPw8Q4a9P0G/Agz6tsWAhnmBOwV+9zyzPQJ7PkBEwn37/j5"
        "4B0a7+fu7R8iCfblzhPdBMr44yvuDPX72wfr8vf6BffdDAjw4BUj9grz8+/uJPUq9gnPDRQK/tIC8xkIAen7CREe"
        "CPcMBe0VF8P93hbl5gfpBfURFxfwFDMc6eYEBukRCxXuFPIaDe70/gkD7Ar8+w8CDOch2PT2JCwo4+UdyPwc9eEC"
        "+d0lP/T7++nzxujxHPseDCD8AtkRJvIn/RjxUQz7Cgvx8Afl/9r2zxMd+hQHVOXtBP0T+iD5Ev9LCxUP9j8J+/z/"
        "B/gC8OL37iXk7/EF6AsW7Sv/4goR7RPbBwHw+xn39z0RvAj67dv28AXuGtzq/xJgDfBBDxH1EPDpGfNGKwoJ9/se"
        "EOUN6/HzIzwgDxAFMgcR7hDnDAPp6Uwy6v7l3/nMBPDzBe446tAPEhnoJBwNGH8H/xIW6g/Y9PsGDTH1ChTs0tEO"
        "7+DzMPnuDjX2IPXPNhjh8/INJBQXDfcYCe4M8gkU5Q/63PMc4uoD4xYKCATW3gIJzOv3A/wS3w0H7ukWI/D83fIk"
        "9zMPA+rn5eQA///fB98eLgURCwsUOPX6E/IH/fTt4fH86AcELvcM6OjpDfP3FN34HhT7CArr+gf7CDDjDuzhJPYO"
        "CSAN7i/xOx7bC/kQAQjqJfcAJf4W8BYD5s+9K9/w6g0hC/MM9/ZY/hrP1CEBGhQKFPMPJijmCen/4Sjsug0EAxMg"
        "7+ntMxX4ObUNCy0k0+UYOPAKA+gI9Df7Fvn+4QQGPfYI0/4CCfEAAdXtBd0r2+sD9wwICtog4fHH8w/r9twQ5A4B"
        "2ezr6wnz9B3Y8CPRIBQK9MPuGs02v9REIAH28Cj1HOQR6w=="
    ),
)
