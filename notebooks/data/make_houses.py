"""Writes houses.csv: 400 made-up houses with the rents that a formula gives them, with noise and gaps.

The numbers are generated and describe no real house. They are public domain (CC0 1.0).
    python make_houses.py
"""

import csv
import datetime
import pathlib
import random

random.seed(20240501)
DISTRICTS = {"harbour": 1.25, "centre": 1.4, "hill": 1.1, "meadow": 0.9}

rows = []
for number in range(400):
    district = random.choices(list(DISTRICTS), weights=[3, 2, 2, 4])[0]
    area = round(random.lognormvariate(4.2, 0.35), 1)
    rooms = max(1, round(area / 26 + random.gauss(0, 0.6)))
    built = random.randint(1900, 2023)
    balcony = random.random() < 0.45
    listed = datetime.date(2024, 1, 1) + datetime.timedelta(days=random.randrange(366))
    rent = DISTRICTS[district] * (180 + 9.5 * area + 45 * rooms) + 0.8 * (built - 1960) + 60 * balcony
    rent += random.gauss(0, 55)
    rows.append(
        {
            "listed": listed.isoformat(),
            "district": district,
            "area": "" if number % 23 == 7 else area,
            "rooms": rooms,
            "built": built,
            "balcony": str(balcony).lower(),
            "rent": round(rent, 2),
        }
    )

with open(pathlib.Path(__file__).parent / "houses.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
