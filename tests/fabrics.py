"""A small fabric as ibnetdiscover(8) writes it."""


def fabric_text(leaves: int = 2, nodes: int = 4) -> str:
    """Return the text of a tree: leaf switches of so many nodes each, and a spine."""
    lines = []
    for leaf in range(leaves):
        lines += [f'Switch\t36 "S-{leaf:02x}"\t\t# "leaf{leaf}" enhanced port 0 lid 1 lmc 0']
        lines += [f'[{node + 1}]\t"H-{leaf:02x}{node:02x}"[1]' for node in range(nodes)]
        lines += [f'[36]\t"S-ff"[{leaf + 1}]', ""]
    lines += ['Switch\t36 "S-ff"\t\t# "spine" enhanced port 0 lid 2 lmc 0']
    lines += [f'[{leaf + 1}]\t"S-{leaf:02x}"[36]' for leaf in range(leaves)] + [""]
    for leaf in range(leaves):
        for node in range(nodes):
            lines += [f'Ca\t1 "H-{leaf:02x}{node:02x}"\t\t# "node"', f'[1]\t"S-{leaf:02x}"[{node + 1}]', ""]
    return "\n".join(lines)
