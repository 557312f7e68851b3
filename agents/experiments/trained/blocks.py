"""Writes fifty positions of 2048 with blocks of large tiles, as people make them up, and training never
meets them: `python3 blocks.py 1 > blocks.txt`, where 1 is the seed."""

import random
import sys

POSITIONS = 50
# Rows and columns of a block.
BLOCKS = [(3, 3), (2, 4), (4, 2), (3, 2), (2, 3), (3, 4)]
SMALL = [0, 0, 2, 2, 4]


def can_move(board: list[list[int]]) -> bool:
    lines = board + [list(column) for column in zip(*board)]
    pairs = [pair for line in lines for pair in zip(line, line[1:])]
    return any(a == b or 0 in (a, b) for a, b in pairs)


def position(draw: random.Random) -> str:
    """Returns a block of different tiles in a corner: a descending one, a snake, or in any order."""
    while True:
        rows, cols = draw.choice(BLOCKS)
        size = rows * cols
        top = draw.randint(max(11, size), 15)
        tiles = [2 ** (top - k) for k in range(size)]
        order = draw.choice(["rows", "snake", "any"])
        if order == "any":
            draw.shuffle(tiles)
        board = [[draw.choice(SMALL) for _ in range(4)] for _ in range(4)]
        for row in range(rows):
            line = tiles[row * cols : (row + 1) * cols]
            board[row][:cols] = line[::-1] if order == "snake" and row % 2 else line
        if can_move(board):
            return "/".join(",".join(map(str, row)) for row in board)


def main() -> None:
    seed = int(sys.argv[1])
    draw = random.Random(seed)
    print(f"# Blocks of large tiles: python3 blocks.py {seed}")
    for _ in range(POSITIONS):
        print(position(draw))


main()
