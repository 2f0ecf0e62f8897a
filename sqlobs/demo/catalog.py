"""What the demo's shop sells, to whom and from where: the words that its content is made of."""

from __future__ import annotations

from typing import Final

CATEGORIES: Final[tuple[tuple[str, str | None], ...]] = (
    ("Kitchen", None),
    ("Coffee & Tea", "Kitchen"),
    ("Cookware", "Kitchen"),
    ("Office", None),
    ("Stationery", "Office"),
    ("Desk Lamps", "Office"),
    ("Outdoor", None),
    ("Camping", "Outdoor"),
    ("Cycling", "Outdoor"),
    ("Garden", "Outdoor"),
    ("Toys", None),
    ("Board Games", "Toys"),
)
"""Name and parent. Products lie in the leaves."""

GOODS: Final[dict[str, tuple[tuple[str, float, int], ...]]] = {
    "Coffee & Tea": (
        ("Moka Pot", 32.9, 640),
        ("Pour-over Dripper", 24.5, 310),
        ("Burr Grinder", 89.0, 1450),
        ("Gooseneck Kettle", 64.0, 1100),
        ("Tea Strainer", 9.9, 80),
        ("Espresso Cup Set", 27.5, 900),
    ),
    "Cookware": (
        ("Cast Iron Skillet", 54.0, 2600),
        ("Carbon Steel Wok", 47.0, 1800),
        ("Chef's Knife", 79.0, 240),
        ("Cutting Board", 34.0, 1500),
        ("Stock Pot", 69.0, 2900),
    ),
    "Stationery": (
        ("Fountain Pen", 42.0, 45),
        ("Dotted Notebook", 14.5, 330),
        ("Ink Bottle", 11.9, 120),
        ("Desk Planner", 19.0, 400),
        ("Pencil Set", 8.5, 90),
    ),
    "Desk Lamps": (
        ("Clamp Lamp", 59.0, 1300),
        ("Reading Lamp", 44.0, 980),
        ("Architect Lamp", 119.0, 2100),
    ),
    "Camping": (
        ("Two-person Tent", 189.0, 2700),
        ("Sleeping Mat", 69.0, 720),
        ("Gas Stove", 38.0, 350),
        ("Head Torch", 29.9, 110),
        ("Dry Bag", 17.5, 160),
    ),
    "Cycling": (
        ("Pannier Bag", 84.0, 990),
        ("Floor Pump", 39.0, 1600),
        ("Bike Light Set", 45.0, 220),
        ("Multitool", 24.9, 180),
    ),
    "Garden": (
        ("Pruning Shears", 31.0, 260),
        ("Watering Can", 26.0, 850),
        ("Hand Trowel", 14.0, 300),
    ),
    "Board Games": (
        ("Harbour Traders", 39.9, 1400),
        ("Night Train", 29.9, 900),
        ("Orchard Duel", 19.9, 450),
    ),
}
"""Leaf category: (product, price, weight in grams)."""

EDITIONS: Final[tuple[tuple[str, float], ...]] = (
    ("", 1.0),
    (" Mini", 0.75),
    (" Pro", 1.6),
    (" Gift Edition", 1.25),
)
"""A product comes in editions: (suffix of the name, factor of the price)."""

SUPPLIERS: Final[tuple[tuple[str, str, int], ...]] = (
    ("Nordlicht Handels", "DE", 9),
    ("Atelier Morvan", "FR", 14),
    ("Van Dijk & Zonen", "NL", 6),
    ("Costa Ceramica", "PT", 21),
    ("Fratelli Berti", "IT", 16),
    ("Highland Outfitters", "GB", 18),
    ("Krakow Metalworks", "PL", 12),
)
"""Company, country, lead time in days."""

WAREHOUSES: Final[tuple[tuple[str, str, str], ...]] = (
    ("HAM1", "Hamburg", "DE"),
    ("RTM1", "Rotterdam", "NL"),
    ("LYS1", "Lyon", "FR"),
)

PLACES: Final[tuple[tuple[str, str, int], ...]] = (
    ("Berlin", "DE", 16),
    ("Hamburg", "DE", 11),
    ("Munich", "DE", 9),
    ("Paris", "FR", 13),
    ("Lyon", "FR", 7),
    ("Amsterdam", "NL", 9),
    ("Utrecht", "NL", 5),
    ("Vienna", "AT", 7),
    ("Zurich", "CH", 5),
    ("Milan", "IT", 6),
    ("Lisbon", "PT", 4),
    ("Krakow", "PL", 4),
)
"""City, country and how many of a hundred customers live there."""

FIRST_NAMES: Final = [
    "Anna",
    "Ben",
    "Clara",
    "David",
    "Elif",
    "Finn",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Katja",
    "Luca",
    "Mila",
    "Noah",
    "Olivia",
    "Paul",
    "Rosa",
    "Samir",
    "Tessa",
    "Urs",
    "Vera",
    "Wim",
    "Yara",
    "Zoe",
]

LAST_NAMES: Final = [
    "Albrecht",
    "Bauer",
    "Costa",
    "Dubois",
    "Eriksen",
    "Fischer",
    "Garnier",
    "Hoffmann",
    "Ivanov",
    "Jansen",
    "Keller",
    "Lefevre",
    "Moretti",
    "Novak",
    "Oliveira",
    "Peeters",
    "Rossi",
    "Schneider",
    "Tavares",
    "Ullmann",
    "Visser",
    "Weber",
    "Zimmermann",
]

COUPONS: Final[tuple[tuple[str, int, str, str], ...]] = (
    ("WELCOME10", 10, "2024-01-01", "2025-12-31"),
    ("SPRING15", 15, "2024-03-01", "2024-05-31"),
    ("SUMMER20", 20, "2024-06-15", "2024-08-31"),
    ("BLACKFRIDAY25", 25, "2024-11-25", "2024-12-02"),
    ("SPRING25", 15, "2025-03-01", "2025-05-31"),
)
"""Code, per cent off, first and last day."""

REVIEW_TITLES: Final[dict[int, tuple[str, ...]]] = {
    1: ("Broke after a week", "Not what I ordered"),
    2: ("Smaller than expected", "Poor finish"),
    3: ("Does the job", "Okay for the price"),
    4: ("Good value", "Solid, would buy again"),
    5: ("Love it", "Best purchase this year"),
}
