"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each table has the bias, the weights of the features, and for the vector and the slots a step and
weights in units of it (int8, base64).
"""

from __future__ import annotations

WISH = (
    -1.6137,
    {
        "acceptance": 0.040,
        "acknowledgement": -0.153,
        "affirmation": -0.183,
        "all_projects": 15.701,
        "amendment": -0.487,
        "aside": 0.021,
        "assistant_decision": 0.587,
        "back_reference": -0.069,
        "bare_ask": 0.000,
        "blame": 0.189,
        "cause": -0.181,
        "choice": 0.186,
        "code_element": 0.066,
        "complaint": -0.087,
        "conclusion": 0.264,
        "connective": -0.242,
        "constraint": -0.210,
        "contrast": -0.101,
        "copula": -0.098,
        "correction": 0.108,
        "correction_opening": -0.176,
        "current_work": -0.018,
        "decision": -0.049,
        "denial": -0.299,
        "described_behaviour": 0.400,
        "diagnosis": -0.436,
        "directive": 0.591,
        "dismisses": 0.316,
        "done": -0.222,
        "environment": -0.084,
        "exception": 0.040,
        "extends_scope": 34.192,
        "fact": -0.081,
        "farewell": 0.074,
        "fixed_since": -0.387,
        "for_good": 1.115,
        "fragment": 0.124,
        "future_work": -0.026,
        "house_rule": 0.003,
        "indefinite": 0.076,
        "label": -0.021,
        "lasting": -0.786,
        "lasting_clause": 0.963,
        "later": -0.137,
        "leaning": -0.041,
        "leaning_end": 0.251,
        "leaning_person": -0.347,
        "narration": 0.273,
        "negation": 0.109,
        "new_subject": 0.198,
        "next_step": -0.246,
        "open": 0.310,
        "open_label": 0.000,
        "opening": 0.097,
        "option": -0.058,
        "order": -0.052,
        "partial_yes": 0.142,
        "past": 0.101,
        "personal": 0.306,
        "politeness": -0.122,
        "praise": -2.550,
        "proposal": 0.581,
        "proposal_opening": -0.135,
        "purpose": 0.048,
        "put_off": 0.100,
        "question": 0.167,
        "reason": -0.131,
        "refers_back": -0.760,
        "rejected_value": -0.015,
        "rejection": 0.051,
        "remember": 2.695,
        "reported": 0.000,
        "reversal": 0.107,
        "routine_report": 0.000,
        "rule": -0.187,
        "rule_announcement": 0.000,
        "rule_list_heading": 0.000,
        "rule_word": 0.049,
        "settled": 0.000,
        "stated_decision": -0.016,
        "statement": 0.007,
        "stop": -0.117,
        "takes_back": -0.053,
        "temporary": -0.274,
        "this_project": -0.406,
        "tool": -0.138,
        "unchanged": 0.000,
        "undecided": -0.012,
        "use": -0.008,
        "way_of_working": 0.640,
        "wish": 0.254,
        "yes_but": 0.001,
        "by rule": -0.042,
        "is question": -0.172,
        "is order": -0.121,
        "is temporary": -0.079,
        "announces": -0.756,
        "is fact": 0.210,
        "is rule": 0.167,
        "is choice": -0.043,
        "is decision": -0.016,
        "names thing": 0.010,
        "uses": -0.008,
        "denies": 0.152,
        "chars": 0.600,
        "words": 0.452,
        "digits": -0.041,
        "first": 0.132,
        "last": 0.029,
        "count": -0.373,
        "answers": 0.111,
    },
    0.007659,
    (
        "6D7fzQMIFBbhQs8wCB069dzevrrtBQDlyf4NHyzT8d0P6fND4wv86qE5HyhXtQED4tSWQ9MBPPM+EvDjMN9NN/Yo"
        "J1vWEuEx/0EGMRwSJOqcI7MZJNsBKQEm4dAY+yzkEwDs+P0BVtc+ZRgwLvTODtrnJh8i7Cv6s/7d9wsSAQAZy/Jo"
        "9PfG2hwPd7Q+JwnfC+X+OdDSTvrR1iDGsszx7tjYBh4BzubOFi7uGi4pA7QP5tQbSPo0ABjKCO+n2QPvwiT68vP2"
        "OukKF2UEue70+x0APAcH61v7Muvsw/34FADh/iQYylr99DTh/QXz5dscyuhECc1B5tD6OBTi7s0CEvQj6grY2fD4"
        "r/Tw1sK+8jT29RnaChQE5zP96wgD/goX6QwQCyXG8fgIy9fXH+ToJk7RIxHBJc0FN+rN7/8G4wHk9j288x7XIteB"
        "Guv8GCAfQ8kkE+nosij4DWMM5w4d4sQ3NsbhKhNLLzL+MtUlPgrPDZwH/gg9YMlI0PkTWNPS"
    ),
    0.002191,
    (
        "/dkmFAZV/TXwSf0SBBYVz+3vOwXxyxgX9iPdByDsFTk76eAvSP388fAZAwz/7/gP4QTdQhX64fHMFuHZ6eYjCL7/"
        "A/70JfPR+fP/QPbkHxO2+tvX/vklKS3sCuz//u0cAPIQRi37LSb7E+f16yPYCFEUARDpA/9FNuf+T9EE2uMX7xzx"
        "7dYW/g0kD7IP+QlTEwnmEBsRd/VHBSNDEgjyE8kDJ95wIw/4lyz/MOf6JCcX+AsX+zEwGPX09xjUExv5EioCAtvL"
        "/cfc0vgUJ8YAABIj9Oe6Ju7cvAQACv0sA9vs+DEUO/b6AcrPH9425eTOGBPHCND6M/ji/SANufMDCRft793lCEAS"
        "QQD60vzs2/vK3UDiBTQm0g0C3hLiCV7h8+AALAr4BRbXJvXq8dL1CgrY2+11HvTZK/TrAAkUJ78KJAnr4C8IEPA2"
        "4wY8Awrg9h4O2vFB++/33QZpBQbb5eINEUH82g0wGujICzAQExQKCf0f/uIf5xPS6OsoAN4NzwoBy9PC6SnWBvv4"
        "6zsm9ezv9i8eEe0bxO315bb4/Dz1+gDw5h71/RAF+A3xB+UR3vcm/SIGBvm8JfMk7gn89jAK9NIA7i0MD+3z6egu"
        "8Rr7+OcbK+bx2TbT+yICARXo8C3dSRXd5NwiGtcAKQjfHNP9Jv7e8+sC8wT4+SXbEPdCxebzKT1Q/uUU0unz68na"
        "AwMtMyEXF+ADsNj0I/ojPBgf8rgLGOoO7xwIJ/4FH+fmKQr0/MTssw0/IA8HJPHxDhsZ5yEYJf9jGzMM6DkQ4/YK"
        "Fe707xPt4UPrC9z81AAD8zbyxCTzIAnDEAvy7RML4ygUxvkT/b7b8uAcENro/RR7DvAp9QgSM+T7Hv4/Mf3UBwwq"
        "9tgg7vfcU0kQEBruVQj47CsKCN7761VR3vjX0AHc9yIKBfAW3sw+EwYU/PL39VEC9hsY/OPJ49768CAaLtzgx78L"
        "0cDBKhXaBy4KHhrkCgK8/+AHKhsxB/8iIuYA9vDF8EzoJvn53ej+3hcTGfza1gz9xcnmE+cupCv0/d/uM+QXChFb"
        "8jgA9uz96OAbBOzm/e8O5xkn3wEfVfb2NugN6e+8zt74/A4VLRUN8bbyCgURDdjwFC71Bc+0JBTwDxvfEATO6O0f"
        "GkcS3lbALxjdDc4YAQsEFu0IfwAJ9yMe2tDQ/dHj5zIUEAEDFeVJLu3t4BwQMQUAF+dERy4JGAEdzUj8yhn9I+n6"
        "A8UNF+jSc8QPFzcR+tp+Tv/05AD05zH7BSIZ0gsITs/78TETFfIf998S5gpU+PX7Az7nCPYR693b5/zW0NsJ1BEB"
        "BRLa0jDc4BrqFQ+6/SwHD+rI6usmpuk75fkA6xzbCtjWBg=="
    ),
)
