"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each table has the bias, the weights of the features, and for the vector and the slots a step and
weights in units of it (int8, base64).
"""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@078a9807"
LASTING = (
    0.2118,
    {
        "acceptance": -1.620,
        "acknowledgement": 1.801,
        "affirmation": -0.377,
        "all_projects": 6.532,
        "amendment": -0.202,
        "aside": 0.448,
        "assistant_decision": 3.933,
        "back_reference": 0.322,
        "bare_ask": 0.000,
        "blame": 0.207,
        "cause": -0.399,
        "choice": 0.347,
        "code_element": -0.135,
        "complaint": -0.511,
        "conclusion": 1.113,
        "connective": 0.578,
        "constraint": 0.771,
        "contrast": 0.068,
        "copula": 1.842,
        "correction": 0.308,
        "correction_opening": -0.542,
        "current_work": -0.740,
        "decision": 0.658,
        "denial": -1.017,
        "described_behaviour": -0.602,
        "diagnosis": 0.713,
        "directive": 0.558,
        "dismisses": 0.313,
        "done": 0.126,
        "environment": 0.028,
        "exception": -0.299,
        "extends_scope": 4.046,
        "fact": 0.321,
        "farewell": -0.917,
        "fixed_since": 5.039,
        "for_good": 0.967,
        "fragment": -0.036,
        "future_work": -0.363,
        "house_rule": 0.141,
        "indefinite": -0.073,
        "label": -0.272,
        "lasting": -0.214,
        "lasting_clause": -1.182,
        "later": -0.346,
        "leaning": -0.165,
        "leaning_end": -1.153,
        "leaning_person": -1.019,
        "narration": 0.360,
        "negation": 0.183,
        "new_subject": -0.443,
        "next_step": -0.904,
        "open": -0.669,
        "open_label": 0.000,
        "opening": -0.378,
        "option": 0.709,
        "order": -0.755,
        "partial_yes": -0.463,
        "past": -0.479,
        "personal": -0.375,
        "politeness": -0.268,
        "praise": -2.114,
        "proposal": -0.733,
        "proposal_opening": -0.442,
        "purpose": 0.201,
        "put_off": 0.006,
        "question": -0.860,
        "reason": -0.180,
        "refers_back": -4.498,
        "rejected_value": -0.008,
        "rejection": -1.687,
        "remember": 2.593,
        "reported": -2.934,
        "reversal": -2.167,
        "routine_report": 0.000,
        "rule": -0.266,
        "rule_announcement": 0.000,
        "rule_list_heading": 0.000,
        "rule_word": 0.471,
        "settled": 0.000,
        "stated_decision": 6.537,
        "statement": 0.492,
        "stop": -0.244,
        "takes_back": -0.638,
        "temporary": -1.346,
        "this_project": -0.099,
        "tool": 0.432,
        "unchanged": 0.000,
        "undecided": -0.596,
        "use": -0.225,
        "way_of_working": 0.542,
        "wish": 0.510,
        "yes_but": 0.327,
        "by rule": 0.325,
        "is question": -2.020,
        "is order": -0.652,
        "is temporary": -1.101,
        "announces": -2.651,
        "is fact": 0.319,
        "is rule": -0.014,
        "is choice": 0.801,
        "is decision": 6.537,
        "names thing": 0.130,
        "uses": -0.225,
        "denies": 0.483,
        "chars": 5.217,
        "words": 2.270,
        "digits": 0.310,
        "first": -0.316,
        "last": -0.647,
        "count": -1.650,
        "answers": 1.299,
    },
    0.018673,
    (
        "EP3Nwr0h/BFj9Ccq1iMbKCjo1fw9Dg4X1wDV43C+Bt4lNc53yf+9BtfRki0K5vdFgS7lJNUr46fsDuEkEg22Gug4"
        "60YDw9YNIAU6/t0eOei9JCglF9PbTQEQCbon3+TxPyEvrgUX877/DvvcMUHv7dT8AeDX6ykCv/hBAdZZIAAL5zsJ"
        "uhzmKx0SN/E5N0voEe8UFh3h5S4i0RX/A74R7Oz72xwRuw3jEcL2B+E14rQDC/9S8RFTExn9BfP4VfktAV4VzCXm"
        "BwMZRjbp/xwDQQFQyz0L/QcqFrgniyIkFQDq9ebx+Ovr9yzs3NzWAfvqFcrFvC2d+v1X+OXVOQzaA1DR1bfr9vMT"
        "IxMiE/D24u/3ywvaPfQlLt848u8Iqg4h0A4M8ia54fA+ydY67MTOkSLM40oVAt3E+fUPEszpvQPGFgOYzC8f7FgZ"
        "2xL8xt/LHQ7WHdPO9kM4EjPv/kkb+F0zJc8M9RgyDsEAkfPz4+O97PD6CQD3AQgqHgHOK1bY"
    ),
    0.003920,
    (
        "/BAe8RUABBY9Y/wB8rAbxSHgB/zKxiO15PKs2gT4GCEx7TsfNSbf/xsbEBcR7iHwHRMG7y341n/uNezcGB0xHOAC"
        "9/3JJsfq+P/0Md+/8DngJODuGRIvBRQUsiISD9j0GwsDUPT38gPdE9oF49/7xDv0PkMSMNExQfQrNPez5C7unzHc"
        "/Qf7tTPMPNoGIg40BcAR6sUUSfr11hzZDQ5U8tUA/NsGUSAi7DTo/PwIGiMY+k/HHDZRZhgEFdXy2DoY+TIIMurk"
        "+kz4wgvbMM7o6/xKJejjNhkWBCn9/N0k/fT9Qyo1CQwIA9fW8NkvK+L86CmGFub5IQII/hDwn9Dm4jMS4+MNBf7/"
        "Lfnk7ur+4/L87OD4/zsAGh4h9A3ZRiic1Tfq0zn6EgEj8AEjAuXgAzHXK8Mq/BvnAjAE+dwgJiMr9fTiDh8GE/e5"
        "/fQ6AiP39RgYuREh2jb5wvMy5gjdC58h5i4H+1o4B9TU+QIU5sf/ORobT/0rAu707NICChMcI/oQ+9/81ibtQOUj"
        "CzQKICAVDk/8BPNE4wPlBe/zMgTZ2vhVMwwuLykv9uMHEOrT3Pwk++AV8Cbw+dsp3S4i2hfw4eUU+ScOABujPPsb"
        "KxnbzjYXBBPjB0Dl3wnnGfax18sHOegC49gMEdX+3i3tQQDZE28MIx3s4w71CP8LLcop5HILSFwRNuYYQSTlAcYN"
        "78EL1SggFc4ltzAMLDI4NSDOJfo2ACKp6/Qf+cr5BNMJ5wkiETP73zIwCBEh6Bjh/kIH6qcK/+oOKDb/3vf+9P4M"
        "9cfg9AEBHjQQNAAn4dXyKeOr5+n/QwKb5+8P0PoqA8YdEfP9A+f49wMyDAIaMC5KmUnQ6QQsCf388wmwEPr7BSHZ"
        "6Ks40c/rIREjxvfK8NQhA/gVKbIjo/r9v7riE9bb2Pw51QjH8O8iBfIRurHbCAi69QcKMuECtAj56/IOU8YMJwQs"
        "2UQv9yTi8QME8gUfrAvzVNjwNvsaE0gVEdQZ6fib+VjsTLETvw4kKyolJeMzYPsQ/+rB5R1O0SQX9+rTFxr4DDBY"
        "5CESujUPFekp/hz9KAY80yD06uSoOQQKyg0iDO78EwrGKgj3ARrN89bz8eH8N9kQHgIEAN3L1v0cwugi5TDN5bY7"
        "Q0JaDQnmDAvj/+Ua9tr2FQkXLhMb4vj80eHD8yn3Cq3PFgQLKxgqQeAsFiX9FwbuzbsvCxcfJuYnAg7mzB4u8+Tv"
        "L/U9FrDUZ/ro+Bsu6OhAIci3BxbdRQjXDCkd/M36/QYrwx5HDPMS7+/4Cewu/yH86O33Xhrz//MIAfH39QkSHDLI"
        "+P7t19fOLUgK/zTcvMkGKhAE8/wMIgTiwhMZAAK86/naOg=="
    ),
)
PERSONAL = (
    -1.9801,
    {
        "acceptance": 0.000,
        "acknowledgement": -0.268,
        "affirmation": -0.512,
        "all_projects": 3.298,
        "amendment": -0.265,
        "aside": 0.839,
        "assistant_decision": 0.869,
        "back_reference": -0.734,
        "bare_ask": 0.000,
        "blame": -0.209,
        "cause": -0.422,
        "choice": 0.406,
        "code_element": 0.258,
        "complaint": -0.090,
        "conclusion": -0.232,
        "connective": -0.590,
        "constraint": 0.088,
        "contrast": -0.149,
        "copula": -0.259,
        "correction": 0.219,
        "correction_opening": -0.652,
        "current_work": 0.368,
        "decision": -0.286,
        "denial": -0.765,
        "described_behaviour": 1.315,
        "diagnosis": -0.174,
        "directive": 0.063,
        "dismisses": 0.915,
        "done": -0.470,
        "environment": -0.139,
        "exception": 0.290,
        "extends_scope": 4.734,
        "fact": -0.198,
        "farewell": 0.000,
        "fixed_since": -0.462,
        "for_good": 1.088,
        "fragment": 0.093,
        "future_work": 1.022,
        "house_rule": -0.342,
        "indefinite": 0.266,
        "label": 0.293,
        "lasting": -0.925,
        "lasting_clause": 1.538,
        "later": 0.395,
        "leaning": -0.183,
        "leaning_end": -1.128,
        "leaning_person": -0.572,
        "narration": 0.228,
        "negation": 0.319,
        "new_subject": 0.251,
        "next_step": 0.000,
        "open": 1.295,
        "open_label": 0.000,
        "opening": 0.212,
        "option": -0.178,
        "order": 0.255,
        "partial_yes": 0.000,
        "past": 0.362,
        "personal": 3.484,
        "politeness": 0.140,
        "praise": 0.000,
        "proposal": 5.814,
        "proposal_opening": 0.392,
        "purpose": 0.136,
        "put_off": 0.381,
        "question": 0.837,
        "reason": -0.160,
        "refers_back": 0.000,
        "rejected_value": -0.245,
        "rejection": 0.000,
        "remember": 5.115,
        "reported": 0.000,
        "reversal": 0.000,
        "routine_report": 0.000,
        "rule": 0.285,
        "rule_announcement": 0.000,
        "rule_list_heading": 0.000,
        "rule_word": -0.031,
        "settled": 0.000,
        "stated_decision": -0.081,
        "statement": -0.121,
        "stop": -0.224,
        "takes_back": -0.035,
        "temporary": -0.053,
        "this_project": -0.643,
        "tool": -0.269,
        "unchanged": 0.000,
        "undecided": 0.146,
        "use": 0.574,
        "way_of_working": 1.428,
        "wish": 5.755,
        "yes_but": 0.104,
        "by rule": 0.161,
        "is question": 0.416,
        "is order": -0.124,
        "is temporary": -0.053,
        "announces": 0.000,
        "is fact": 0.164,
        "is rule": 0.208,
        "is choice": -0.567,
        "is decision": -0.081,
        "names thing": -0.186,
        "uses": 0.574,
        "denies": 0.405,
        "chars": 0.080,
        "words": 0.522,
        "digits": -0.142,
        "first": 0.236,
        "last": 0.202,
        "count": -0.404,
        "answers": -0.131,
    },
    0.011291,
    (
        "0SQmzw/5DiTlFqfj/wER7fjm9Rz4CR3Qvgw+/OAKzf7gGt8rJgsXA8wwXgJm3g/fFrusN+oBKhYlMgHWINgjKCEZ"
        "Oy/XIM5H50zc8vcJBfy8Ecgc8tkZC/0x2O729zwk69/Y2S/tLuwqZ+I53OzhBLXcLxI7BSrr6jfpDO3t3wDp795M"
        "7NTP7eAnZugYKAX0D9nnKMzxQPH7ugDdx6Xr1/HE5jT69u/WPDEIFij1BsDc6doHNu0P8A0Q8QuMp/XPvfrzFfPk"
        "KPr+4FIl26AK1zL/EAMa01nqLOa2BCvY+QAcARwrx1H8+iX89wLx9/Ql2NQ7+dJ/8dfuFQ3pAt4UCdAbIRPl0ebR"
        "sOz9vNfMGDXsQA0kEAYM5B/e+ATVDP4I6PH4AxzHCgT15v7oMAz5L0n7Eu3DONEhFNq/Cyb5FwD6/jD53SeaIcGi"
        "XN73Px8rTL4NAAUs8iTnQk0x+OgUGLkZGtUKEfMsQjkzXewGOPbdI7k47isXSMM29xwZbbvG"
    ),
    0.002066,
    (
        "BtRL/Qg++wjjH/3/+uj0yvT4MuXU6hc48AMKAP/l+xc5v+stHQLy9tDpCfj6+N8z7ebbOATu/+7qEfsG6OcPBuv/"
        "D/IAIQ7b9/v/MvjTJQHN9dn0BQkENxfvNdPp+vYKC/0iOSrzIf8MEukh7Ab4HhQN/PXlBwMsHv/sFdMlydYIAA4V"
        "9OT9De5I/tMG7BEpBDMEPTYgRwc8+xg9AvDNIOETEvM5BBLpwhn6EgDwHRzs+QdI2zj5J/ob2Svi6QQKDxQdBgD0"
        "9dTN2+IHH+rs/BUG9eq4Ag/1+/8o7PwG8t/l/xfxIvHqAN/FHOUVzv/VEgHnCdD1IwvfBRc0xP8CIQfu4ejmBi0S"
        "Mwv93xPt3ev36yXq7D8V6wEG4v/L9jEEJ/Qy+PXiHxXTFAIC9doNCNju5wc0EA0GIPvvEg0aG8n7Hg7Z/SPi9yhY"
        "1QwcAwr0B/j99+Ua/Pn/BfIvAhv56QoF+Scj7vgT8PXp5RMP9goF/hMd5OUU/iblAeUV+9kDxBUR8Pf7CxL07v75"
        "4RwnBOH06hsg+evd1ArjBL8E8C7tDvL03AwM7/v6CPnHEQXn4QwT+REK+vDpIeUo7QzTCwYL/cz88BwUBOkA7Qsc"
        "CgwJBeMSMcT04BDeEQv1BfcSBBvlQD8J7uYZBuURJw3uFPEbD+708wT/8Qj3+BXwBOYy0OzyIiM63fcdxgEa59n8"
        "/uAhPfH6BenrxtzvGv0eBh8DAdcUIulCDRb1Rg7wGQno8/3f8sb4xhQaAg77SevlAvoW+SXuFfVKCBkQ9TsG+/j7"
        "B/4E5uX46iDj7OMI5QIT7ib43C8O5QzbBQHn6xD28UMZugX+4dHy8wH8IN/iBAFhMupACxb2IvbrGvdXIwf+9uMc"
        "D/T+6u7wUE0EGwcBMg4P7BHsD/Xr5UxZ7f7b4vjOCBX/BP0w7M4RFhnqHBIeGX8JAxcO5BjU8PgCGyzzAhDr0NII"
        "8OryJ/reBDbzGv3TMxPe8PMMGBEOGPoZCPAO7QMS8hz98u0U0eX/3hkHDADU2gcGx+T0//sS5A4F5+YVGOL72/kn"
        "8TQL+9bw3OT9/vvZBOIUNQYJ/RQXOgcALu4I+vTj4fH36QcEOPkQ88rhGfP1FtjwFRH5BwjnBP/5CAzrEOrgHvMI"
        "ByX58SnzNRreCvkM+QrqJ/EBL/4Q6Sgf9s+uHeHrAAwRC/IJ7+tNEhnN8yMMFBEKRvkPJSbt++8F3yPmvwr6BhQg"
        "8enmKgz2NrYECDIg1N0zLfIKBO0K7TnzExL44wMcPPMI0gcFDeoAAswF/uY03OH9+AwECeIj4vC/9ADn890J4gj+"
        "Bffm6gfw9xjY8yTLHxIA+LLgB9cgu9Y0JBL67CXsCuYO7A=="
    ),
)
