"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

WISH = (
    -1.5796,
    {
        "acceptance": -0.069,
        "acknowledgement": -0.112,
        "affirmation": -0.234,
        "all_projects": 20.197,
        "amendment": -0.422,
        "aside": 0.273,
        "assistant_decision": 0.780,
        "back_reference": -0.121,
        "blame": 0.140,
        "cause": -0.130,
        "choice": 0.183,
        "code_element": 0.109,
        "complaint": -0.109,
        "connective": -0.140,
        "constraint": -0.191,
        "contrast": -0.143,
        "copula": -0.099,
        "correction": 0.142,
        "correction_opening": -0.210,
        "current_work": 0.013,
        "decision": -0.000,
        "denial": -0.267,
        "described_behaviour": 0.322,
        "directive": 0.378,
        "done": -0.218,
        "environment": -0.100,
        "extends_scope": 30.484,
        "fact": -0.090,
        "farewell": 0.164,
        "fixed_since": -0.344,
        "for_good": 1.317,
        "fragment": 0.106,
        "future_work": -0.154,
        "house_rule": -0.325,
        "indefinite": -0.077,
        "label": -0.044,
        "lasting": -0.938,
        "lasting_clause": 2.217,
        "later": -0.073,
        "leaning": -0.016,
        "leaning_person": -0.405,
        "narration": 0.284,
        "negation": 0.057,
        "new_subject": 0.048,
        "next_step": -0.119,
        "open": 0.146,
        "open_label": 0.000,
        "opening": 0.155,
        "option": -0.035,
        "order": -0.060,
        "past": 0.068,
        "personal": 0.503,
        "politeness": -0.104,
        "praise": -3.484,
        "proposal": 0.783,
        "proposal_opening": -0.127,
        "purpose": 0.061,
        "question": 0.140,
        "reason": -0.176,
        "refers_back": -0.731,
        "rejected_value": 0.005,
        "rejection": -0.187,
        "remember": 2.439,
        "reported": -0.013,
        "reversal": 0.086,
        "routine_report": 0.000,
        "rule": -0.147,
        "rule_list_heading": 0.000,
        "rule_word": 0.038,
        "settled": 0.000,
        "stated_decision": -0.184,
        "statement": -0.004,
        "stop": -0.115,
        "takes_back": 0.032,
        "temporary": -0.152,
        "this_project": -0.423,
        "tool": -0.139,
        "unchanged": 0.000,
        "undecided": 0.031,
        "use": -0.017,
        "way_of_working": 0.585,
        "wish": 14.607,
        "by rule": 0.241,
        "is question": -0.153,
        "is order": -0.140,
        "is temporary": -0.152,
        "announces": -0.612,
        "is fact": -0.041,
        "is rule": 0.256,
        "is choice": -0.138,
        "is decision": -0.184,
        "names thing": -0.020,
        "uses": -0.017,
        "denies": 0.055,
        "chars": 0.504,
        "words": 0.447,
        "digits": 0.008,
        "first": 0.117,
        "last": 0.036,
        "count": -0.370,
        "answers": 0.144,
    },
    0.007140,
    (
        "00Ps1O4KJx3mPKgkEBND5OLfzrfzCAfpy+0oDRzg+dcLB/JPziAc6qNHMCtSuSIS6c+MSOL6Gt4iEeHpNOpIGfM4"
        "JknUHOVcBVjoMiIPJ/WwF7IcI8YULxUyAdUIDinnEfHs6gIRYd5YcwspHuTe9NAALykb6SH4u/bU/xsFCAAIxt9b"
        "+v7kyxELXbVBNwLiE9IBTbnMOPrNxTTGucv/5N/hEC7/1vPXOE/uFx0hDb8D880SY/BG5g7NCtWU1PXmxx77/PL3"
        "MfgKKFr5r+kI5jn2NAwR7FTuS9jhugn0BwDs5zwarV/y6ULUAPDv/dAiquleEtpC39MDHCnU8dwF/+wb+wXBxvns"
        "oOj40si9Azft6ijQEAAT+Dz3++ruAgwd5R8VJR626eAHz+XUDu7VLF33GBm7Osz+DObQ8Rv/6gHf/TjE8w/MJLaG"
        "JOwjCiwXSsQnHevvryz+J38B5hgh1MI4PrnoLSFAHDYCHc8qOgDFJqoG8AhBerY1yBwPaNS9"
    ),
    0.002249,
    (
        "+9gkCwVK8j7cPwELAgsA1vT5OP3w0g8O+SX8ACPtFzUlAusoRfUC/foI6QUD9uwa4v7lORj67/TWEefj+eEYDvQH"
        "Cv/+Jf7b/+0EQQ7oIhfSCevfBeEfJDDlFuwA+/kOB/ceTxnrNSrnBdX4AhvpCk0IAgzoDwNJPuH9SM0K2fIK5PoG"
        "9+UJFxM1ANEe8vY0CgveAAwQZfBfCwxAHw/4Dc4DI99e9gDumRUGM931Hhsf8wNa/xssBNX39w3NEhXyCyjbA9bU"
        "AcjL0Pr7EdL3Ax4b9uLNL/v6viwACgcu+ODs5jQIPvb88tHXQNoU5PHRGBvFC8nzQO/u6hH7xf72HR/n89rtBCwU"
        "S/zlz/fv4uzi7kjh/zIN0QP73iL0D1rk++X9LRYK+BbzAPrr+MPxFgjO3fRVFPrZGvTnCAnfKMUBIRbu9Bb4CPcy"
        "3gVG8/je+iIV495AEvr75ghFCv8G1dweADTl4RItNefrAiUaBQUHC/IuA9wY6wzg9QoeAOX51vz6ztnL8RvND/L3"
        "6yYO3+ft+yUuJuwVvP/o4bbl8y3tAvzu5BDO+Qj9+gL0+OgJ4f4wByX2/fvJKv0c9Qn9Az0U9dIB/Cf1C+b7D/Q9"
        "7Ar/COoYIer11jbr0Q0BAQ3o9ir0FwoB49sBD9/9GRTgGvQHG/jmAe8J6AX2/hPsEfE31ef3M1c19d4RzNX68d3o"
        "+gI6LiYREescvurzHvkgPRYh9MEJGe359SEbOP0HCu7yGRIDDeHvrhItFAwHHe/+Bx4g6hsOGgRnFi4H6jUR7hb/"
        "B/QA/fDv5knyFPYC2vwN+UP3zgr6FwDFEgD4+RYF4yb62AAI/L/e8+0BBNPxDBt/6vYl+wgNJdz5JvE5NgfmByob"
        "+NAs8ezbIikcARTpY/j07S8NCPLu71Qv3/jbzAHX6+4FDd0Z4M81BwEOAfLm+EYD8BsoANLK5d748B8qN+PgzsAN"
        "2LmvOgLlDycSHhPdEwPJ/uIMMhs2/gIuGd0C9/TY3i/xEwUO7AH81xkQG/nh6P0CytHjDugsqRsF+OnnP+0UBvQ/"
        "+DUGBQPh9OEUBuzf8voi7xsX9+ssKN8CFtYc/PbP3uj0CRsNJgIO5N8A9xQSEObrBin3AM+6DxX3FiLVEP/W9uIn"
        "HScZ3E/EIhzfGtMb+gABJPIHXgAQ9gQTuNzPCNLp2TYUHw0GEOZICf7tyg/6HBP7/uo/RSQKHRYS1Vf4thb6IBEM"
        "/70aJe/PaMYYFC8Y8dlLWPvl4+X48jHiD/4XzxbxROT15wsUDfMgBe386u44+v4HAzHyAOwM7NfV4gTb3NYRzBz+"
        "3wrn2ync1hvrBBDC+REsGP3E/uYysulO/vX7ACngGNkJAA=="
    ),
)
