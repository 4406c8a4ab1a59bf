"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

WISH = (
    -1.5806,
    {
        "acceptance": -0.069,
        "acknowledgement": -0.112,
        "affirmation": -0.237,
        "all_projects": 20.197,
        "amendment": -0.425,
        "aside": 0.272,
        "assistant_decision": 0.781,
        "back_reference": -0.112,
        "blame": 0.138,
        "cause": -0.131,
        "choice": 0.183,
        "code_element": 0.110,
        "complaint": -0.110,
        "connective": -0.144,
        "constraint": -0.191,
        "contrast": -0.143,
        "copula": -0.101,
        "correction": 0.141,
        "correction_opening": -0.211,
        "current_work": 0.011,
        "decision": -0.001,
        "denial": -0.266,
        "described_behaviour": 0.324,
        "directive": 0.378,
        "done": -0.218,
        "environment": -0.099,
        "extends_scope": 30.484,
        "fact": -0.090,
        "farewell": 0.167,
        "fixed_since": -0.342,
        "for_good": 1.317,
        "fragment": 0.106,
        "future_work": -0.155,
        "house_rule": -0.319,
        "indefinite": -0.068,
        "label": -0.048,
        "lasting": -0.939,
        "lasting_clause": 2.222,
        "later": -0.072,
        "leaning": -0.016,
        "leaning_person": -0.405,
        "narration": 0.285,
        "negation": 0.057,
        "new_subject": 0.051,
        "next_step": -0.120,
        "open": 0.145,
        "open_label": 0.000,
        "opening": 0.159,
        "option": -0.034,
        "order": -0.061,
        "past": 0.068,
        "personal": 0.501,
        "politeness": -0.100,
        "praise": -3.482,
        "proposal": 0.784,
        "proposal_opening": -0.127,
        "purpose": 0.060,
        "question": 0.140,
        "reason": -0.178,
        "refers_back": -0.729,
        "rejected_value": 0.004,
        "rejection": -0.187,
        "remember": 2.435,
        "reported": -0.013,
        "reversal": 0.082,
        "routine_report": 0.000,
        "rule": -0.145,
        "rule_list_heading": 0.000,
        "rule_word": 0.038,
        "settled": 0.000,
        "stated_decision": -0.184,
        "statement": -0.004,
        "stop": -0.114,
        "takes_back": 0.032,
        "temporary": -0.152,
        "this_project": -0.422,
        "tool": -0.137,
        "unchanged": 0.000,
        "undecided": 0.031,
        "use": -0.017,
        "way_of_working": 0.585,
        "wish": 14.608,
        "by rule": 0.241,
        "is question": -0.153,
        "is order": -0.140,
        "is temporary": -0.152,
        "announces": -0.609,
        "is fact": -0.043,
        "is rule": 0.256,
        "is choice": -0.135,
        "is decision": -0.184,
        "names thing": -0.021,
        "uses": -0.017,
        "denies": 0.054,
        "chars": 0.501,
        "words": 0.450,
        "digits": 0.008,
        "first": 0.117,
        "last": 0.036,
        "count": -0.370,
        "answers": 0.145,
    },
    0.007123,
    (
        "00Ps1O4KJx3mPKgkEBND5OLfzbfzCAfpy+0nDRzg+dcLB/FPziAd6aNHMCtTuSMS6c+MSOL6G94iEeHpNepHGvI5"
        "JkrTHOVcBlnnMyIOJ/WwGLEdJMcUMBUxAdQJDyrnEfLs6gIRYd1ZcwspHuTd89AALykb6SL3vPbU/xsECQAIxt5b"
        "+v/kyxELXrVBNgLiFNIBTbnMOPvNxTTGucv/5N7gEC7/1fPWOFDvFx0hDb8E9M0SY/BG5g7NCtWU1PXmxx78/PL4"
        "MfcJKFr6r+kI5jn2NQ0R7VPuStfhugn0BwDr5zwarV/y6ULU//Dv/dAiqulfE9pC39MDHCnU8twF/+wb+wXAxvjt"
        "n+j40si9Azft6ijQEAET9zz3+uruAgwe5SAVJR626OAHzuXUDu7VLF33GRm7Ocv+C+fR8Rv/6gHf/TjE8xDMI7aG"
        "I+wjCSwXSsQoHuvvsCz+J38B5hki1MI4P7joLiBBHDYCHc8qOgDEJqoG8AhCerU1yBwQadS9"
    ),
    0.002246,
    (
        "+9gkDAVK8j3cPwEKAgsA1vT5OP3w0hAO+iX7/yPtFzUlAusoRfUC/fwI6QYD9uwa4f7lOhf67/TVEefj+eEYDvQH"
        "Cv/+JP7a/+0EQQ7oIhfSCevfBOAfIzDkFusA+/kOB/ceTxjrNSrnBdX4AhvpCk4IAgvpDwNJPuH9SM0J2fIK5PkG"
        "9+YJFxM1ANAf8vY0CgveAAwPZvBfCg1AHw74Dc0DJN9f9gDvmRUGMt31Hhsf8wNa/xssBNb39w3NEhXyCyjbA9bU"
        "AcjL0Pv7EdL2Ax4b9uLNL/v5viz/Cgcu+ODs5TQHPvf88tHWQNoU5PHQGBrFC8nzQO/u6hH7xf73HR7n89rsBCwT"
        "TPzlz/fv4uzi7kjhADIN0QP73iT0D1rk++X9LRYK+BbzAPrr+MPxFwjO3fRUFPrZGvTnCAnfKMUBIRbu9Bb4CPcz"
        "3QVG8vfe+iIV5N5AEvr65ghFCv8G1dweADTl4RItNefsAiUZBQUHC/IuA9wY6wzg9QodAOX51/z6ztrL8RvND/L4"
        "6yYO3+ft+yUuJuwVvP/o4bXm8y3tAfzv5BDO+Qj9+gL2+OgJ4f8wByT2/fvJKv0c9Qn8Az0V9dIB/Cf1C+b6EPQ9"
        "7Ar/COoaIur11jbs0Q0BAQ3o9ir0FwoB5NsDD9/9GRPgGvQIG/jmAe8K6Ab2/hPsEfE31uf3M1c19d4RzNX68d3o"
        "+gE6LicREescverzHvofPRYh88EJGe369SEbOP0HCu7yGRIDDODvrhEtFAwHHe/+Bx4g6hsOGgRnFi4H6jUR7hb/"
        "B/QA/fDv5kvyFPYF2v0N+UP3zgr6FwHFEgD5+RYF4yb61wAI/L/e8+0ABdPxDht/6vYl+ggNJdz5JvE5NgfmBiob"
        "+NAs8uzbIiocARTpY/j07S8NCPTu71Qv3/jbzAHX6+0GDd4Z4c81BwEOAfLm+EYD8BwpANLK5d748R8rN+Tgzb8N"
        "2LmvOgLlECcSHhLcEwPJ/uIMMxs2/gIuGd0C9vTY3i/xEwUN7AH81xkQG/rg6P0CydHjDugsqRsF9+jnP+0UBvY+"
        "+DUGBQPg9OEUBuvf8voi7xsX+essKeICFtYb/PbP3uj0CRsMJgIP5N8A9xQSEObrBin3AM+6Dxb3FiLVEf/W9uMn"
        "HScZ3E/EIh3fGtMb+gABJPIHXgAR9gQTudzPB9Lp2TYUHw0GEOZICf7syw/7HBP7/uo/RSQKHRYS1Ff4thb6IREM"
        "/70aJe/PaMYYEy8Y8dlMWPvl4+X48jHiD/4XzxbwROP16gsUDfMiBe386e44+v4HAzHyAOwM7NfV4gTb3NYRzBz+"
        "3wrn2ync1hvqBBDC+REsGP3E/uYyselO/vX6ASngGdgJAA=="
    ),
)
