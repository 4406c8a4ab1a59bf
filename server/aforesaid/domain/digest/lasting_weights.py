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
