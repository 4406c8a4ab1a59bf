"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

WISH = (
    -1.5793,
    {
        "acceptance": -0.062,
        "acknowledgement": -0.107,
        "affirmation": -0.236,
        "all_projects": 20.202,
        "amendment": -0.424,
        "aside": 0.269,
        "assistant_decision": 0.759,
        "back_reference": -0.113,
        "blame": 0.129,
        "cause": -0.131,
        "choice": 0.191,
        "code_element": 0.109,
        "complaint": -0.110,
        "connective": -0.145,
        "constraint": -0.187,
        "contrast": -0.143,
        "copula": -0.099,
        "correction": 0.145,
        "correction_opening": -0.211,
        "current_work": 0.019,
        "decision": 0.000,
        "denial": -0.260,
        "described_behaviour": 0.326,
        "directive": 0.381,
        "done": -0.218,
        "environment": -0.103,
        "extends_scope": 30.497,
        "fact": -0.091,
        "farewell": 0.161,
        "fixed_since": -0.337,
        "for_good": 1.265,
        "fragment": 0.104,
        "future_work": -0.155,
        "house_rule": -0.325,
        "indefinite": -0.071,
        "label": -0.047,
        "lasting": -0.889,
        "lasting_clause": 2.240,
        "later": -0.078,
        "leaning": -0.015,
        "leaning_person": -0.413,
        "narration": 0.285,
        "negation": 0.054,
        "new_subject": 0.047,
        "next_step": -0.121,
        "open": 0.154,
        "open_label": 0.000,
        "opening": 0.161,
        "option": -0.029,
        "order": -0.059,
        "past": 0.061,
        "personal": 0.503,
        "politeness": -0.105,
        "praise": -3.411,
        "proposal": 0.780,
        "proposal_opening": -0.119,
        "purpose": 0.067,
        "question": 0.147,
        "reason": -0.175,
        "refers_back": -0.726,
        "rejected_value": 0.009,
        "rejection": -0.192,
        "remember": 2.431,
        "reported": -0.016,
        "reversal": 0.083,
        "routine_report": 0.000,
        "rule": -0.146,
        "rule_list_heading": 0.000,
        "rule_word": 0.043,
        "settled": 0.000,
        "stated_decision": -0.187,
        "statement": -0.006,
        "stop": -0.112,
        "takes_back": 0.029,
        "temporary": -0.151,
        "this_project": -0.416,
        "tool": -0.146,
        "unchanged": 0.000,
        "undecided": 0.025,
        "use": -0.019,
        "way_of_working": 0.587,
        "wish": 14.614,
        "by rule": 0.243,
        "is question": -0.167,
        "is order": -0.139,
        "is temporary": -0.151,
        "announces": -0.631,
        "is fact": -0.042,
        "is rule": 0.248,
        "is choice": -0.148,
        "is decision": -0.187,
        "names thing": -0.018,
        "uses": -0.019,
        "denies": 0.050,
        "chars": 0.515,
        "words": 0.437,
        "digits": 0.010,
        "first": 0.115,
        "last": 0.035,
        "count": -0.372,
        "answers": 0.144,
    },
    0.006910,
    (
        "0kXq0fAIKBzmPasnEhRI5OXfzLTzBwXnyO4sDh7g+NQNAvFTzh8b655ILypWsyIQ58+ITOD6H9shE93qNupKGPI4"
        "KU/RHOVcBVvlOSALKfauHLEeJcMUMRcw/9EMECvnD/Pt6wQUZt1cdQsqG93a8tH/Lycb6CH0uvLW/x4GCAAJw9xg"
        "+f3gyxIPYLJEOQTjEtQCTrrPOfjJwzXDuND/5dzgEC3/0vHXPFLrEx4iDsQE9MwRZPNI5hDMD9SR1PPkxR38/vP4"
        "NPkKKFz2rukH5j73NA0R7VjvTtXeuAbyBwDs5D8aqGLz6ETRA/Lt/s4lqepiEdpE39ECHyjW8toFA+wc+Qi/xffp"
        "oOj50cW/ADjs6CrQEwQU+D33+unsAAwh5R8VJCGy5+EKzuXTD+3PKmL0HBS2Pcf8D+TR7xsA5wHc/znD9BHJJLKC"
        "JuwkCi8ZT8IrIOvvrCz9K38C5Bsj1707P7TmMyFAHTcDHcwqPf/BJqYJ8gdEe7U5xxwNa9G9"
    ),
    0.002247,
    (
        "+9klDAVL8j7dQAIKAgoA1+z6OP3q0REO+ib8ACTuEDUkAeQpRvUC/fsI6QcE9+0b4v7jOhj27vTXEubk+eESDvQH"
        "Cv/+I/7b/+0EQQ7pIhbRCe3fBeEfJTLlFewA/PkPB/cfRxjrNizoBdX5AhzpBEsIAQzpDwNKP+L9R84L2vIL5vkG"
        "9+cJFxM0AdEa8/U1CwvfAA0NZfBfDA1BIA75Dc4DJOFf9wDumREGLt31Hhog9ARbABssBNX49w3NEhXxCyncBNbU"
        "AcrL0fv8EtL3Ax8b9uLOMPv6vi0ACwYv+OHt5TUIP/b78tLWN9sT5PHSGRvFDMvzQPDq6xH7xf74HR/o89vtBSwU"
        "Tf3ky/Pw4uzj70nhADMN0QT83SX0EFrl/Ob/LRYG+Bf0APrs+cTwGAnP3fVUFPvZG/PoBwrfKcUBIBfv9Bf4Cfcz"
        "3gZG7/fe+yMW499AEvv75QhFCgAG1t0ZATXk4RItNubtAiUaBAYHDfMtA9sZ7Ajg9f0d/+X61/37ytvL8RvND/L4"
        "6ycN3+fs/CYuJuwVvf/p47Xn8y7uAf3w5BHO+Qj9+wL3+OgK4f4wByX2/PzKLP4c9Qr9AzkV9tIC/Cf1C+j6EPQ9"
        "7Ar/CekbIur21THs0Q4BAg7p+Cr0Fwv45NoCD9/9GRPfGvUHHPjlAfAL6Ab3/hXrEfEx1uf4NFc19t4Qzdj68t3p"
        "+QE7LygQEesdv+rzHfohPRUi9MIIGO369RoXOP4CCu/yGRMDDODvrxEtFQcHHvH/Bx4g6hsOGwRoFy4H6jQR7xf+"
        "B/AC/PLw50vyFPYF2v0P+UL40Az6FwDFEv/5+hcE4Sb62P0I/L/f8+cABtXtDhx/6/Um+goNJd35JvE3NwblByoc"
        "+NAs8u3bIikbAhTqYvn07S4NB/Tu8FQv2vnczAHW7O0GDt8Y4s82CP0O+vLm+EcD8BsiAMzL5d748x8qNuTgzsAN"
        "2LmvOgPlDycTHhPeEgTK/uMMMxw2+gEvGd0B9vTY3y/xFAYP6/392BoPHfvi6f0CytLkDuIsqRwF+OLoQe4UBvc/"
        "+TUGBQLh9eIWBu3e7fsh7xwW+ewtKeIDF9Yc/PbQ3ej1CRAMJgMQ5t8A9xQTEufrCCn3Ac+6Dxf0FyPVEfvW9uQn"
        "HSca3FC8Ih7gGtQc+gACJe8GXwAQ9gUUut3QB9Hp2jYVHw4GEeVJCf7uyw/7HRP7/uo/RSULHxYR0Vf4uBb7IBIM"
        "AL4ZJe/PaMcYEy8Y8ddMWfvm4ub37DLmEP8YzxfxROT16woUDPMjBe786u45+/8IAzDxAe0N5tjW4QXc3dcRyxL/"
        "4Avo3Cnd1hzqBA/E+REtGP3E/uczsuhD//X7ASrgFdn4AA=="
    ),
)
