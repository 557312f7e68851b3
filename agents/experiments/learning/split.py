"""Splits a file of first positions into two, one to train from and one to test with:
`python3 split.py 16384-8192.txt 426 1` draws 426 different ones for the test, where 1 is the seed. Positions
that are equal up to a rotation or a reflection come into the same file."""

import random
import sys
from pathlib import Path

Board = tuple[tuple[str, ...], ...]


def rotated(board: Board) -> Board:
    return tuple(zip(*board[::-1]))


def canonical(position: str) -> Board:
    board = tuple(tuple(row.split(",")) for row in position.split("/"))
    boards = [board, board[::-1]]
    for _ in range(3):
        boards += [rotated(boards[-2]), rotated(boards[-1])]
    return min(boards)


def main() -> None:
    file, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    positions = file.read_text().split()
    different = sorted({canonical(position) for position in positions})
    test = set(random.Random(seed).sample(different, count))
    for name in ["train", "test"]:
        chosen = [one for one in positions if (canonical(one) in test) == (name == "test")]
        head = f"# To {name}, of {file.name}: python3 split.py {file.name} {count} {seed}\n"
        target = file.with_name(f"{file.stem}-{name}.txt")
        target.write_text(head + "".join(f"{position}\n" for position in chosen))


main()
