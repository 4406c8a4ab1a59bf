"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each table has the bias, the weights of the features, and for the vector and the slots a step and
weights in units of it (int8, base64).
"""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@078a9807"
LASTING = (
    -0.0530,
    {
        "acceptance": -1.753,
        "acknowledgement": 0.586,
        "affirmation": 0.123,
        "all_projects": 10.454,
        "amendment": 0.810,
        "aside": 0.766,
        "assistant_decision": 2.439,
        "back_reference": -0.158,
        "bare_ask": 0.000,
        "blame": 0.170,
        "cause": -0.282,
        "choice": 0.607,
        "code_element": 0.127,
        "complaint": -0.424,
        "conclusion": 0.812,
        "connective": 0.619,
        "constraint": 0.594,
        "contrast": 0.035,
        "copula": 1.190,
        "correction": 0.367,
        "correction_opening": -0.100,
        "current_work": -0.545,
        "decision": 0.339,
        "denial": -0.753,
        "described_behaviour": -0.528,
        "diagnosis": 0.106,
        "directive": 0.319,
        "dismisses": -0.085,
        "done": 0.042,
        "environment": 0.041,
        "exception": 0.381,
        "extends_scope": 17.371,
        "fact": 0.557,
        "farewell": -0.853,
        "fixed_since": 1.335,
        "for_good": 0.849,
        "fragment": 0.353,
        "future_work": 0.166,
        "house_rule": 0.253,
        "indefinite": -0.444,
        "label": -0.051,
        "lasting": -0.101,
        "lasting_clause": -0.146,
        "later": -0.447,
        "leaning": -0.026,
        "leaning_end": 0.878,
        "leaning_person": -0.716,
        "modal_question": 1.827,
        "narration": 0.169,
        "negation": -0.120,
        "new_subject": -0.009,
        "next_step": -0.779,
        "open": -0.039,
        "open_label": 0.000,
        "opening": 0.084,
        "option": 0.701,
        "order": -0.607,
        "partial_yes": 1.407,
        "past": -0.143,
        "personal": -0.201,
        "politeness": -0.275,
        "praise": -1.441,
        "proposal": 0.151,
        "proposal_opening": 0.445,
        "purpose": 0.173,
        "put_off": -0.064,
        "question": -0.589,
        "reason": -0.108,
        "refers_back": -1.199,
        "rejected_value": -0.407,
        "rejection": -0.314,
        "remember": 2.276,
        "reported": -3.596,
        "reversal": 2.237,
        "routine_report": 0.837,
        "rule": -0.022,
        "rule_announcement": 0.000,
        "rule_list_heading": 0.000,
        "rule_word": 0.493,
        "settled": 0.000,
        "stated_decision": -1.362,
        "statement": 0.552,
        "stop": -0.075,
        "takes_back": 0.023,
        "temporary": -1.447,
        "this_project": 0.127,
        "tool": 0.131,
        "unchanged": -5.068,
        "undecided": -0.583,
        "use": -0.223,
        "way_of_working": 0.275,
        "wish": 1.377,
        "yes_but": 0.619,
        "by rule": 0.313,
        "is question": -2.223,
        "is order": -0.554,
        "is temporary": -1.241,
        "announces": -2.519,
        "is fact": 0.066,
        "is rule": 0.251,
        "is choice": 0.147,
        "is decision": 5.418,
        "names thing": 0.212,
        "uses": -0.223,
        "denies": 0.782,
        "chars": 2.453,
        "words": 0.619,
        "digits": -0.018,
        "first": 0.041,
        "last": -0.485,
        "count": -0.845,
        "answers": 0.783,
    },
    0.049254,
    (
        "DAfs7+kU//8vCBQH6xYUDhAL8+oM//8F6Pv79ybh+eYNDOEp4gDi9e0M5g0C6esX0xf4CwAh5OkICPcPGAjt+P0h"
        "/R3o3eX+IQwEFu8NCv/WGfP7EuL7JgYOB+UJ5vvnFhgTxgzzBO0HEfr0DQ75APIA/PT8DQb+4wcU//ooCIEQ5w/7"
        "5vT4DRIcE/sSFhQBBff4D/758BUa3/r9+v0LCgXs8Q781wD9AfYCBgMO8eMECwsR9RAbBQ3tBvgNGAIIAxoT/Pfz"
        "FQIvByzwAPoIEwkG2ycG8wv+8PARww8cFPnv8gAJ9/QG8hLa8+3wAvTp9Nz+7hHh4/UY9e8DDf/n8yPp9t71EPEU"
        "GvwP7grk+Pf68AD8F/j8CQUd7PUT4f0i9PEH/A3f7vQT7u4Y8/Th3hD17Bn8Bv3m+QL9Avfz6gL0A//d4xP5Cib2"
        "6PYM5wLzBQICB/z2+xQYDgMDCBMQBSMLF/AQDQX+DvUU4Or77vXe9QQGG+vu9wgCDwDzEx38"
    ),
    0.005373,
    (
        "/d/+Dhn0FRwfPfgTEaQwAAvNBwT20DnUyvLtywIHDAYFBfsoGh3xBRcp5QgM7gzWHwca3TLa/SXVHO7z+xUS9vbK"
        "9xnsL+ru7QAjMPbI9ibWBBcCHCcWETjt8f4aBdr/EhMjMwMJJ+DjB98Q4ucQ2wEO7ygnPu8AI/tTPura+Av35SgK"
        "Ch3/3BHuJi0e+h8Z3sP91cT/CvwVAQYCCCww7tL/AcDuDe8X8BroCv4jGRke8grc9CREMhoq4vQeCzXs/Cv8FP7u"
        "DzoV/Q4DDP779fjJAe796wjnEA772wAjIhL6Jx9ECvvcBgUQ2e8j+w8jBCjn+ifqCQMa8gb/ywvu0DwLw+kW+Ogb"
        "OgXi2fQi3RUK6O0RByP3KQ0XIhH+WvPSwQ/ukg7o3jUbDAgW/9riFzfzTOQW7xTx8jzx9PRI6x8a5xUGDhMj9ukK"
        "6PU8CwDwBQMa3PwPGiL51OMVGPH/EOkyCer4BDcQ/fLmBCYNM+0O7hkMBtwMEOna9d/7FRsfBRnvxwXZ7gcIE/U+"
        "9hAsE/fqIEHsD9giAgL49uX9HBHXDv8aOCEQIkIR9AwUHQTg1ucbDL85BREk8+4j2iXqCu7x4dr2HCQK5vC8BwI8"
        "KUDwEjIh49EA8Uwz8xXA6Qvk6fYMEOsJ9eodD+4E7BXcLBosNz7eJvYfyPnz/QsHAxgY3ysYPEkWHggFOfn/1wMF"
        "370b7fkfCOkUwC3WLPzxDSHsHPcFDxCBAvQW1uwH/+sr7QMX/gcC/TAiL/Q+7uvt5ioCANUGHgwMCf0R+AL81/Mi"
        "BOkKFhYU6S4jC/8AAPICDePV9+j0FiXSAe4W3tX7DNzzKvH3/NT5wegI3QYhAgQbuCoZ5BwL1w/e8gTZ+/LQNRzY"
        "0+Ys287q/vv70//fCOr79AMSE7n89CcGALb+CNTz+xw+8v/fCPAtABgk4+j2GCDD+OgJFAoHxwwW7AcDMv4XIfjg"
        "wyRECjDgEv33FQkQyuv2Ptf1GgYHGi8SDeRK4gzcBxX8HcsS5yIDDxD3FswsPicBC+QD+SJHyUbSFwTuJhIO5gRJ"
        "/yP+9CoMEPEwCBgKFiEbzyH+0fK3LwD64Q0J/fgdDhH5MwAyEiL0APzV8NPuI9co9w7z4twj8vkX4hARFST04+cy"
        "HCsj2Aj1BDbzDQII3fPd/BHtFhIrHLDk7ebw2/3+1engIw3nFSkM/uIbBe74Mf0a29k5BCVBDc4QCgca4hkI2OXn"
        "E/UNBrv9QPPO6/kJ/bzxGPTK+REqOCzXGwgZCuTTG/EL+gwIDPb99wEw6eUrERcAygEVMeAF+Pb27t3t8hzyJDr3"
        "BQ3b8OsDNyon8icHAdwUKALIOhD8Bfbf7P0e/xH1CAHhUA=="
    ),
)
PERSONAL = (
    -2.4507,
    {
        "acceptance": 7.550,
        "acknowledgement": 0.052,
        "affirmation": -0.670,
        "all_projects": 4.738,
        "amendment": -0.312,
        "aside": -0.040,
        "assistant_decision": -0.902,
        "back_reference": -0.840,
        "bare_ask": 0.000,
        "blame": -0.249,
        "cause": -0.339,
        "choice": -0.452,
        "code_element": 0.073,
        "complaint": 0.211,
        "conclusion": -0.652,
        "connective": -0.525,
        "constraint": -0.197,
        "contrast": -0.264,
        "copula": -1.281,
        "correction": 0.022,
        "correction_opening": -0.740,
        "current_work": -0.055,
        "decision": -0.076,
        "denial": -1.010,
        "described_behaviour": 1.120,
        "diagnosis": -0.286,
        "directive": -0.283,
        "dismisses": 0.664,
        "done": -0.228,
        "environment": -0.190,
        "exception": -0.827,
        "extends_scope": 2.229,
        "fact": -0.214,
        "farewell": 0.000,
        "fixed_since": -0.333,
        "for_good": 1.538,
        "fragment": 0.345,
        "future_work": 0.436,
        "house_rule": -0.297,
        "indefinite": 0.023,
        "label": 0.114,
        "lasting": -1.307,
        "lasting_clause": -1.191,
        "later": 0.392,
        "leaning": -0.148,
        "leaning_end": 0.443,
        "leaning_person": -0.801,
        "modal_question": 0.647,
        "narration": 0.172,
        "negation": 0.247,
        "new_subject": 0.355,
        "next_step": 0.000,
        "open": 0.180,
        "open_label": 0.000,
        "opening": 0.497,
        "option": -0.289,
        "order": 0.170,
        "partial_yes": 0.090,
        "past": 0.272,
        "personal": 3.182,
        "politeness": 0.304,
        "praise": 0.000,
        "proposal": 1.910,
        "proposal_opening": 0.205,
        "purpose": 0.185,
        "put_off": 0.996,
        "question": 1.226,
        "reason": -0.207,
        "refers_back": 0.521,
        "rejected_value": -0.006,
        "rejection": -1.206,
        "remember": 8.666,
        "reported": 0.000,
        "reversal": -1.634,
        "routine_report": 0.000,
        "rule": 0.506,
        "rule_announcement": 0.000,
        "rule_list_heading": 0.000,
        "rule_word": -0.001,
        "settled": 0.000,
        "stated_decision": -0.342,
        "statement": -0.355,
        "stop": -0.646,
        "takes_back": -0.327,
        "temporary": -0.079,
        "this_project": -0.822,
        "tool": -0.299,
        "unchanged": 0.000,
        "undecided": -0.213,
        "use": 0.401,
        "way_of_working": 1.067,
        "wish": 6.316,
        "yes_but": 0.274,
        "by rule": 0.253,
        "is question": 0.283,
        "is order": 0.237,
        "is temporary": -0.079,
        "announces": 0.000,
        "is fact": -0.103,
        "is rule": 0.273,
        "is choice": -0.634,
        "is decision": -0.342,
        "names thing": -0.143,
        "uses": 0.401,
        "denies": -0.091,
        "chars": -0.198,
        "words": 1.227,
        "digits": -0.225,
        "first": 0.221,
        "last": 0.181,
        "count": -0.056,
        "answers": -0.127,
    },
    0.016208,
    (
        "9BMV4x/gDj36D9/SBy432PgB0fnhEQvv1BdX6s0Jpe3ZA/I3+hAa/NAwewFH2gz7FuHZF8IaF/wsNu7WBdko8Bww"
        "GT/VKrAv5FGw7f3p/ACrP74v7tgsGw003O0M6kQmAuT32kHgEeMgWtAPFN3U+rnLOyEqGh/+7CHMENDz4ETgBeR6"
        "DN/P6uo4dQEQ7woK+dr0OPbsJtIdwfLAxqAd5+TW7h7i+hcAMCUHDlv87t2y1N3sJdAW1h0Q6POVzdjku/rvBRzv"
        "EP/24z0r6JfkCjMN5PkS70PMB/G0IRnH7QMsAShHzQsAFBsD5RPxCvXrstY1/tllAOoe9+76++z0HNIM/g3t2iXL"
        "pNQp4uLDByDqHgIW9O8Q4BHN7h3gBxIg4sL18g717BTVGQn3SenVQT8cAQHJLu5NCd3I9BrZ9f/+EFIR2hmBGs2Y"
        "TtHsLDkfQcpIEQpj4RviRkta+dApCuEl8c8gGPALPRAyWdD8O/fTJMI34xUgUPQ0viYSUJrV"
    ),
    0.002937,
    (
        "GPgyAwRI/uPvDBb25QD/yu34LBbk4Qwq0f4L/+rr/vjxzREvCQzl89XkChoEGOkdGePhHAL4Ntf+AeoEAdr6B9QP"
        "/vMIJRHx7BAR9vbx/QXvCssN+vP/MhPSLdL03//vBP8MFgAbEg7vFv8OB+v4AwH5AAb6+QIUDfTnHOU3z+QzGvs8"
        "7fH0HP043t7v5Pk8BRoUDf8hOQQx8xf8Bga4DNMaEwcN9xDa7BfmJf347Qon7AtGszH8KOj84Bvl4h7zHQwj9fn4"
        "/ecK8RUYJgPIBwcRDvLGBwj/Cw4R4hYK7Ov1ERwSEv8EFf/OGef9+vsYGPYEAdUPNOzNH/828hANIur979bl7wEF"
        "JT7++CHu1urt5g/48C339gYO6v7l4SsbFwIr2A/fC/PZRxH0DvcM9ur/8igH9Pb9JRvq2ww1B7fzF+rl4xHk2yky"
        "3AQlCR/uAAgn2+kN8vIm+fMcCQT+/wfw9SgZ7wMy9O3szycHAwvrCPH93e8B8xr5B/YV6OIN3S4G9SEWHxEa9gMA"
        "9v4b8cUi4ukK893h+iDwEv8H/BP4KP0cEfgZ9vD9E9bpCQPc/wIU6OohC/L9JvIg8gH9/fAI5MDpCxH9+/zlCff7"
        "/wYcFeUIGvUS7QPz2fruEQMPFB/rNB/73+YG7egXFSDfFdsRBPfw/wsX7AcT6Anl9+gX1uD7GSol7fUL5wwB+vTp"
        "2+cPN+75CeAVxfsDHQQk+Aka8Of2H90gHxr6OwDqHSDqCwD36OEO0BInBtwAQ9vpFhMZBf3/QwceHigR5zwV7PwI"
        "Cuz5C+/w1/zW+eIF4gQJ8ED/Cwj5+vLaGOT9//Tj6GkTvAID8uwX/vbmFQj83PYi/PhRA/ooFBPmIuJ/GAnoFxUV"
        "NQ789vLjNTwSPSP6JwEJ4hASEQT12xk14AXr0PXq+ArwIPUo+N8XGA7B2xn1DmvrAeLv4CbQ7hv4BQr/AB7t7tTp"
        "DPX/7ALcJxvYHBbuHOHV9+X/HBwmCO0U8QwA/d/x/wAF4/XuBvnd3vwiMNTR1wf97d3E5OgYGPX6BdEoCfIC4u8q"
        "6iwC9Mjx5wQm/yHnDfImROgqAQIbEwXlId/o8vHuGun44wImD/0GEN0BCvDgDekSJxD79Ajx6B3x/QT+BfnzAhEE"
        "7RUD5yMCIS/TKtz25fvwGubkIPYU9gQk4PrF6e/h7P35AfX65uVoLhvk4x4DGP8cBQggIzv/HOot8BL92AwF4AwP"
        "/O7Z/QsWJQ4UBhTotQxRCQH4+fbj7CQJFwPrFttEIeb4whoOIwMB58IT4eBL8vH9KQn7HAMH+O6sDB3v89gf4PXy"
        "B/YA3wb6Gu7yIDX0JRT/87jk8t/j1d4dNuz08RrkA/cE7A=="
    ),
)
