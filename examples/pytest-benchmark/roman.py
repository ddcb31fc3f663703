"""Roman numerals."""

PARTS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]


def to_roman(number):
    """The Roman numeral for an integer from 1 to 3999."""
    text = ""
    for value, digits in PARTS:
        while number >= value:
            text += digits
            number -= value
    return text


def from_roman(text):
    """The value of a Roman numeral."""
    number = 0
    for value, digits in PARTS:
        while text.startswith(digits):
            number += value
            text = text[len(digits):]
    return number
