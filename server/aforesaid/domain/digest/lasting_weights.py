"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each: the bias, the weights of the features, the step and weights of the vector and of the slots.
"""

from __future__ import annotations

MODEL = "aforesaid-minilm-int8@ce43ac15"
LASTING = (
    0.3719,
    {
        "acceptance": -1.618,
        "acknowledgement": 1.729,
        "affirmation": -0.462,
        "amendment": -0.750,
        "aside": -0.116,
        "assistant_decision": 2.972,
        "back_reference": 0.014,
        "blame": -0.275,
        "cause": -0.688,
        "choice": 0.363,
        "code_element": -0.142,
        "complaint": -0.661,
        "connective": 1.042,
        "constraint": 0.830,
        "contrast": 0.161,
        "copula": 2.069,
        "correction": 0.395,
        "correction_opening": -0.810,
        "current_work": -0.828,
        "decision": 0.521,
        "denial": -0.901,
        "described_behaviour": -2.289,
        "directive": 0.916,
        "done": 0.182,
        "environment": 0.015,
        "extends_scope": 3.689,
        "fact": 0.229,
        "farewell": -0.951,
        "fixed_since": 4.043,
        "fragment": -0.238,
        "future_work": -0.346,
        "house_rule": 0.241,
        "indefinite": 0.082,
        "label": -0.309,
        "lasting": 0.583,
        "lasting_clause": 2.998,
        "later": -0.874,
        "leaning": -0.109,
        "leaning_person": -0.714,
        "narration": 0.551,
        "negation": 0.176,
        "new_subject": -1.063,
        "next_step": -1.153,
        "open": -0.542,
        "open_label": 0.000,
        "opening": -0.173,
        "option": 0.404,
        "order": -0.720,
        "past": -0.636,
        "personal": 0.055,
        "politeness": -0.032,
        "proposal": -0.762,
        "proposal_opening": -0.895,
        "purpose": 0.242,
        "question": -1.070,
        "reason": -0.186,
        "refers_back": -5.526,
        "rejected_value": 0.081,
        "rejection": -1.669,
        "remember": 2.908,
        "reversal": -2.749,
        "routine_report": 0.000,
        "rule": -0.363,
        "rule_list_heading": 0.000,
        "rule_word": 0.569,
        "settled": 0.000,
        "stated_decision": 5.001,
        "statement": 0.539,
        "stop": -0.359,
        "takes_back": -0.666,
        "temporary": -1.069,
        "this_project": 0.261,
        "tool": 0.380,
        "unchanged": 0.000,
        "undecided": -0.769,
        "use": -0.237,
        "wish": 3.496,
        "by rule": 0.614,
        "is question": -2.022,
        "is order": -0.631,
        "is temporary": -1.069,
        "announces": -2.813,
        "is fact": 0.077,
        "is rule": 0.041,
        "is choice": 0.816,
        "is decision": 5.001,
        "names thing": 0.166,
        "uses": -0.237,
        "denies": 0.097,
        "chars": 4.649,
        "words": 2.036,
        "digits": 0.308,
        "first": -0.247,
        "last": -0.752,
        "count": -1.687,
        "answers": 1.482,
    },
    0.018050,
    (
        "MQbW7ros+w107Bci0iEeFxbx4N1HEhsq6fXZ41rZEOkxRsZowQDSFdTHtDAB5g86pCzgKPog1pj1BgFKMTCrFec8"
        "yE0KxeULLwgk9dMuJ9yxATEZDNPnRfUnA8Yt/fL9KRcowPMn6NAHIv/DGSHm4doFAOrN1hjw0e06DM1MHQD8+jkO"
        "xUb6NicUGvc0PSvjBvj/Bw719igexQcE9rYV6RIc2Br8vCDkB6jpE9o92MkCGgRGDv1dACcm6/kGWhUyHVYQzjz2"
        "CQoIOCT6ECMOQgdIvUT8EAAvMMQRgTUPJAD44dTt6ffr9BDu5uzTEwn3Crq80DSd9BJT5PTWKvnACT68y63u3P4D"
        "GAkYGgIM1O30rB3VPd09JucZAeQTqyAnxAUb+AbA9eM/2fI/9cPBoBzb3mQU7eOyBPItE83cswPYKvSO0xgx50ck"
        "zhEAu9vHF/rCO+PZ9Eg0Iyfh9VUc30Y1K84H+R4t96//i///0OjNFvjyCfnUA+YeCAe7MG3i"
    ),
    0.005079,
    (
        "/QsK7QcaBhMUNfv80b8R0wnqDO393QLu3/fk8wvzFw417i4nFuPlKQD+2Q4CBBzrBQEFCBHm938JLOX8JgwUDQ/x"
        "AfvMGeMB+foAIu/V6BvuGOgOBRYb8h4d4xQHAfPr/Pz2N+j08vr7HuQXCvwG8yniQSMOH+kkI/QKLADV4CoEr/vf"
        "+xvsBCLqIusQ//wV9swVB/kJJwUH8iHhIAYn+cry/9wRRxMDEAzy8Ab8HxAODj/8DiM3O+X7/uLr7C8T+C34H9fo"
        "7y8C6f7ZIBH18wUrFPLoKiEwCyP39d0e7wD+LR0U9wkN8O3UDvkXIenx/BeY/eIVGf4U7wbvxtfh6xcR8QYk7vEO"
        "KvTo/Pr/+94O49YE+BgAFRIm+hPmNBLM/0MD3CL3B/kg/QQlCfXoCibkId0L7RbkICER6egXBRMN+/HjFjL2BfTs"
        "DxQ28A/7ChkPvvT78UP3ygAl1QgBFtgD5RkBCD0fEN/2+RsD3N4MLxkCR/oUFfUKANjkEysUIP4OAO3w4B37E+UP"
        "CBH8FhEPFykgBf8mAwbbBf7qGP3i7Pw2KAcdIBIeCeb2AejL7fYKEOoR5wj6AtAL9xwU1gL68tj3AzYA/xHsJPoa"
        "Hw3t3CAYCSDnAz7/4/f1DvzW3toFJvsQ8fYB/+zt1C/pKwzuF0n7Hxvz5v0QAgYOGcAn+lIAKWgPHO8APCHvBNER"
        "98cJ5SkeB9wl1ioPEyweGw7qCQQz9he559Ma/uTzBvMIBPg2EisDChMo8QMH6R/z6ywI+sH3A/AaGSEC8u8B9CT6"
        "8Ofh9RMECSIECggR4fb3K+TWAAgAG/Kr7AwAx+snAd8IPQkE+t//6PoI+AENJwdFyyb66BIZ9f3z+gHEJfDs/g/Z"
        "/sYT3t7kIAkPy/LABtoWDP0hC7oZ4A7y0NDtCePj3ugz2g/R6+MD+PgY0NHy+fHQ/f4XCO/8w/369eP7RskMCfoP"
        "9DMhEiDdChEY4+8OygLyIuT8IOsHECwF+c0S8fnQ7y/3NdMNx/gHGSIbOO0xNQAFGPrO6zETEgcsAPLxAhoFAQsy"
        "8REB8hQCEOwdASLqFwYY7yDg5+PUK/kG1v4YCPP7DRjlEwng+hjf7Nr43vkIKvr3BfgdBvbwzvQZvuIk7C7r3MEx"
        "MBsoGgoF9wT/9+gL7N0CEBQcDx8Y9O7y0Piz6iz98c7QEwsFIBgTC/MpBRjz9u3v4cUuAxEW/AcgDRDq1RYi8/sc"
        "I/MuEsjQKvIF9x4V8uwbB9bEFxTvNBP0FxkLGMfl5RYJ3Q4wBvr99/8LD+MhAh768eAEMgP1APACDO31DBwfBxnC"
        "5/X14OLrITsb+jwB1NAaIgLu8voQNv0O4A4SCf/c5ggOIQ=="
    ),
)
PERSONAL = (
    -1.2926,
    {
        "acceptance": 0.000,
        "acknowledgement": -0.038,
        "affirmation": -0.472,
        "amendment": -0.280,
        "aside": 0.973,
        "assistant_decision": 0.205,
        "back_reference": -0.413,
        "blame": -0.432,
        "cause": 0.097,
        "choice": 0.250,
        "code_element": 0.296,
        "complaint": -0.080,
        "connective": -0.484,
        "constraint": 0.061,
        "contrast": -0.175,
        "copula": -0.292,
        "correction": 0.411,
        "correction_opening": -0.235,
        "current_work": 0.171,
        "decision": -0.123,
        "denial": -0.585,
        "described_behaviour": -0.007,
        "directive": 0.316,
        "done": -0.372,
        "environment": -0.067,
        "extends_scope": 6.548,
        "fact": -0.125,
        "farewell": 0.000,
        "fixed_since": -0.147,
        "fragment": 0.251,
        "future_work": 1.516,
        "house_rule": -0.212,
        "indefinite": 0.017,
        "label": 0.213,
        "lasting": -0.290,
        "lasting_clause": -0.311,
        "later": 0.690,
        "leaning": -0.033,
        "leaning_person": -0.493,
        "narration": -0.194,
        "negation": 0.105,
        "new_subject": -0.202,
        "next_step": 0.000,
        "open": 0.595,
        "open_label": 0.000,
        "opening": 0.022,
        "option": -0.062,
        "order": 0.401,
        "past": 0.098,
        "personal": 4.209,
        "politeness": 0.046,
        "proposal": 0.000,
        "proposal_opening": -0.513,
        "purpose": 0.165,
        "question": 0.733,
        "reason": -0.458,
        "refers_back": 0.000,
        "rejected_value": -0.099,
        "rejection": 0.000,
        "remember": 6.601,
        "reversal": 0.000,
        "routine_report": 0.000,
        "rule": 0.349,
        "rule_list_heading": 0.000,
        "rule_word": -0.022,
        "settled": 0.000,
        "stated_decision": -0.039,
        "statement": -0.135,
        "stop": -0.529,
        "takes_back": -0.308,
        "temporary": 0.848,
        "this_project": -0.478,
        "tool": -0.279,
        "unchanged": 0.000,
        "undecided": 0.390,
        "use": 0.273,
        "wish": 7.655,
        "by rule": 0.105,
        "is question": 0.572,
        "is order": -0.063,
        "is temporary": 0.848,
        "announces": 0.000,
        "is fact": 0.038,
        "is rule": 0.349,
        "is choice": -0.793,
        "is decision": -0.039,
        "names thing": -0.025,
        "uses": 0.273,
        "denies": 0.043,
        "chars": 0.239,
        "words": 0.271,
        "digits": -0.064,
        "first": 0.094,
        "last": 0.066,
        "count": -0.300,
        "answers": -0.261,
    },
    0.009673,
    (
        "1jcQ6hsBDSrkILT/8/UY4+fr/BcO8h760P1IE8wT1xwHEtsyEiMT9dEkQPJq0vrNCL3OEgPpE/sYJwDWBOozExj+"
        "EB/nLdtT3jfYDOghB/TOBeEO4OY0Cxkj6/Md/Ssv1eTb8jbuDNwERxcnr+bw7MjQGg4mFkH08SbFEPAB7QDj9cBI"
        "EfDq5fIgVeA1Lfng5PjcKvT/IPQM2/bnvYEYwgHiCUv9//DLHiHfJych5ufx5xQENPI0AxAV+xevuPfN1Ar4MwPp"
        "JPUG9BwZ2MUVzzgL5xIP4lAIKv27BSPWAwATFyAiuF358D4UEfT1+Pv8vsQwJclh6tX+/hL1Dt0ODtQNDvb40fje"
        "wuMXysbiGTHuHdkNDA403B7j6uvc7wQIuOv45hDUCPni8+vqFg/rJE77Gt+9MsUTBtXSEBkrDgAHFkLu6RWeHMSi"
        "QdvsEhYnNND+MvlA3QrSV0kq5LwlKt4KGekbBBwgIyU0JO8zLufbGpo74CTrTJUP3Av6bcvB"
    ),
    0.002062,
    (
        "EuIu9/lK7yT3FvP+zujy1AABLejK5BA77QcZA+4F7QoJwfcNBur+/QL26wID++b7DejsJfz47ubnEePz/ecF/vXz"
        "ANnrH/HW8P0NIwTf/A7+AwYHFPIGIhnsLuTk5+Xu9ff/JA7lHAYQ8NgP3esHIigD4f3tHRMZB+73HeYN+eQq4PoC"
        "DuTlBQEf/94TAPcO9EXuREIgWgg/9QczGAHz+OcSIvw6AfoC2hT3HfsHGRjmFwEy/Bbh8u4i4/zl9/jyBhwGAvfy"
        "89P77QT2K/H79Av3+uXPBQf44v0o+AAA+dXdBQXYMvTv+fjnDP0C4vjnEgD78ekKQA3u+u78BQIHEf3/1u7lAgUM"
        "I+Ds4xf87O/64g/x7icu6v0C5x/P/iX0D/g4AQffDB/lBAIF+uD/Hsr7AgH4LgEHGxfu9/nqD+HyLyDe/A/sHw9e"
        "1/n65wL85vQH9/TuCBAQ8voM+u706AsE5/n48wIRFAXj/fEP+A0FAho77Noa9STkAusREtcG/BkI6wrm+Az+3Pn0"
        "8Rgd9/zn+AYkAvMP6hT9+NXh9Q/z+wQB3Ar2+/IR8ezpHvDj4hb7AS/x5wviCP4Y+gv1DwYEAOICDRMA/+sD8AkZ"
        "EvYY3vkGHq8B5QfP+yQODwYM8RACEAMd9usGFPHn5wXYCg8ED+L7CwT19hkC9f7/BvYR5+8UJTAd5/b/2gEk++v5"
        "9sohMvv39enu5uYPCQIW7w/+AecBCOwi4vTrPyHgDu8J9PL0+O//0/IW8AYBOePjFfkD+xkCCRAnGf8RFUECCgz/"
        "EAkQAN7y7QPy2wj16hcY+D4dAhEUCxPq//nr+wnrAEkX2wj93fH08fbpGOjc6flF+uVb8wr19wj4BvtMMwr8AxQe"
        "IvMX9PkMIDEPBALpPAcZ4yvpCNn1Algf4//Y6vza8dr7/Psi6dceCAQLCfQUF38CCRAl5hnm9OoREgYt+wT+8+Af"
        "/+PyIunrFxHfJuDjNA3z9QoGGe4KIPIPAwgN+P4F4AMA4Af69BD29BH79wrb6BIb9QcBFxLv8SD+5vsEFdgT6PMg"
        "/Cjo9ujvz/v1AQ7cAP0HGBsR8AcQOvLc//IdB/ju6vYL6+nlMAX39uzsJvYeF+vyFQcACw/jFwD67iDlDPrfCPQW"
        "IBEJ+CoOQQXhDe4FC/wMLfIOJQYI5/r/89vnAvvt8QgPGggv9OtC8Azc2yAO+e0kDfkTBi/0/Pfx+ibk7hn+BRUl"
        "9+X/MgsHDb8IChoH0/X8J/EaF/8A70gaGvwC2PIGSfsI2ez6+PMI9ugXF9NL4wEPBAgF8ecE5/HV+gDf8ewK5/ME"
        "3uvn9BsICyjh+CHfJh8m7Y79Ess94u0/LOz1+RIEEdYI7w=="
    ),
)
