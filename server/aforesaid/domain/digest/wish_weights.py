"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

WISH = (
    -1.5614,
    {
        "acceptance": -0.066,
        "acknowledgement": -0.046,
        "affirmation": -0.211,
        "amendment": -0.283,
        "aside": 0.363,
        "assistant_decision": 0.864,
        "back_reference": -0.117,
        "blame": 0.106,
        "cause": -0.098,
        "choice": 0.186,
        "code_element": 0.123,
        "complaint": -0.123,
        "connective": -0.180,
        "constraint": -0.142,
        "contrast": -0.149,
        "copula": -0.113,
        "correction": 0.145,
        "correction_opening": -0.168,
        "current_work": 0.024,
        "decision": -0.007,
        "denial": -0.240,
        "described_behaviour": 0.304,
        "directive": 0.404,
        "done": -0.230,
        "environment": -0.097,
        "extends_scope": 31.444,
        "fact": -0.095,
        "farewell": 0.125,
        "fixed_since": -0.377,
        "for_good": 1.012,
        "fragment": 0.170,
        "future_work": -0.075,
        "house_rule": -0.211,
        "indefinite": -0.105,
        "label": -0.038,
        "lasting": -0.674,
        "lasting_clause": 2.431,
        "later": -0.073,
        "leaning": -0.018,
        "leaning_person": -0.429,
        "narration": 0.223,
        "negation": 0.054,
        "new_subject": 0.061,
        "next_step": -0.128,
        "open": 0.227,
        "open_label": 0.000,
        "opening": 0.160,
        "option": -0.066,
        "order": -0.002,
        "past": 0.081,
        "personal": 0.470,
        "politeness": -0.108,
        "proposal": 0.767,
        "proposal_opening": -0.141,
        "purpose": 0.088,
        "question": 0.136,
        "reason": -0.177,
        "refers_back": -0.289,
        "rejected_value": 0.016,
        "rejection": -0.125,
        "remember": 2.362,
        "reversal": 0.126,
        "routine_report": 0.000,
        "rule": -0.136,
        "rule_list_heading": 0.000,
        "rule_word": 0.072,
        "settled": 0.000,
        "stated_decision": -0.213,
        "statement": -0.011,
        "stop": -0.150,
        "takes_back": 0.043,
        "temporary": -0.142,
        "this_project": -0.412,
        "tool": -0.134,
        "unchanged": 0.000,
        "undecided": 0.041,
        "use": -0.013,
        "way_of_working": 0.595,
        "wish": 15.068,
        "by rule": 0.243,
        "is question": -0.137,
        "is order": -0.209,
        "is temporary": -0.142,
        "announces": -0.628,
        "is fact": -0.046,
        "is rule": 0.220,
        "is choice": -0.069,
        "is decision": -0.213,
        "names thing": -0.026,
        "uses": -0.013,
        "denies": 0.020,
        "chars": 0.274,
        "words": 0.494,
        "digits": 0.008,
        "first": 0.127,
        "last": 0.034,
        "count": -0.364,
        "answers": 0.140,
    },
    0.007012,
    (
        "zkPi3fEKLCfsO5snHBBD4dvcz7L0EhDk0u8nEB3b9tYPC/hS0SYj7pxZODNctB8Z6MWCT+T1G+QnDdrkM/RJGOw+"
        "LEXTJedeC1PlPx8GIvqtILUZJ8kPNxYp9OAJESzjDALw7v0TXtlVfwwpHOfb8dX/LykZ8yn1tvnYARf3CAD7wN1e"
        "8/LZ2RYLXrRFOAHcEd38ScDTOfnCzzXBr9EF4tjpCioF1u7POEXoESUsCLoG8ckgZe5F4xbHDNOOyvPpzCn78/H5"
        "OvkHJlf4pOwI5DX9Lg4h9V30Rd7iuwf1BwDz6EQgpV717zjRAvjw/MkgqPBhGs476M4HEijW79wGBu0i/Am6zPvn"
        "n+vux7+9/zXy6CDJC/oQ/D3y/ufn+REf5RoXKBu+79sH1dnVCu7MJl36KB63OM/+Et/Q6x3+5f/d/z3J9RTLKrGE"
        "It0jCzAhRMQkIejuqiX/K3AN4yMt28A/QrPeOyQ9Kzn+ItUuOQi7JqUF9w40dqs7xhwMc9W2"
    ),
    0.002261,
    (
        "8d4lCQVQ+DjfNQUMCQUC1vbwOPvw0hIn/Sb0AB/lEzgfAuslMfMFA/sH6wQE/Ood4gHpLhX27fbYDuXo99gXEPoF"
        "Cfz/JwXY/+r3QQzgIw/PBvjlBNknIjThEez7/AIUBPoXTxvvOSPo/ND6AhL0EFQI/grsEANLQOT0T80V0/UL6voG"
        "9uYIGRoxAMwp8vs2Dgjf+wwbZ/NhCAtEJAv2EswFFeFj+wbjohgEONzyIBYf9gJVABYrDMzyAAzRDhrxCyTZANHN"
        "BMjPz/3+Fcz8ASEZ+ejINPz7wyz6Dwcz+ubv7TkCR/X589LXPuAQ3/TWHR7LDdX3NvHt5RH7xQH3EyHo+d/sAS0V"
        "Sfvo0/f02+7x9kf7AzUe0Q/73CD3EVTc9+QIJxUX+hj1+vfl8sLxIAPL3+xWF/zSHwHvAgXfJsj8IBTu8Bf/CvIw"
        "2QA98Pbb/iIY2elCHL0F6wZJCPoC1NIn+zTc6A8xNeTo/iUaBQcGBO4mA9kf5Pvb8hAa/90A2/P51NTK8BvNFvTs"
        "6zER2enz+ysqF+0bxfvi47Hj7C3n/vr87AzMBBD++wb28toN4fAwCyb7/fvKJ/8X+gkE+zoT+dj//Sb5A+77D+o/"
        "7Qz/CecdHOP10DLn3A0FCg7k+y72HA4F4dn/HM/zJBfgG/4CHu3i/+4J6Qb4BA7iCAI31eX3NnE08fIJyusD7t3t"
        "+gU5NyQNEuYZvvHxG/ohPBka98MAF/P69SQcDv8JFOv1HA8AD+vrqg4tEQ8SG+n8BBog6xsQHQReGTUa6zgN/hsG"
        "//UE+enx6Ef1EvMM3f3//Un3zwr5EADEGwj0+RYG5Cf92f8D9bzi+ur/B9PuCxp/6vAi+hINKOL4J+lBNQngCy4l"
        "+cc17/HZISEhAA/zbgLy7C8NCPDg/Ewr4vrdywDW7uv4C98X4tE7CQUM/fnk9UUA8R4pCNTU5OH89SEnN+rhzcAD"
        "3MGsOQfuDyYPHwrkEfvF/OIJNx0xAwUrEOwO8/DT3yvzCAQL9AL00hsKH/zc7/v8y9zgBOkqpiAG/evzO+8UBPVB"
        "/jYJCALW9+kPBfDg+voc/RsV8ugpJ+QGGdQc/PXayO3iDxYKHv4Y8OEBAhcRFOfsByv3/tK+DRrxGCfXDfzZ8eke"
        "HiMP4FLUJB7f5dMV+QMBHeYFXfwR9fgSvuHYAd/q3zsVIhEJEOJFE/fuxg70KhL4AOo2RiENGx0O12P4uhL9HwwU"
        "A7kZKfLKYcMUHCYY8tZJVvjr6uvu9DD9Evwc0RTtP+n16g0aB/wkB/H64+44+gQDAjH0/uwL7dra3Ava4tEZzx/+"
        "3gbq4ibe2R3oAA3I/RErFgK/AOc3s+ZbA+78BSbpFtX39w=="
    ),
)
