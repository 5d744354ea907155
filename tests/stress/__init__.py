"""Random processes make, send, forward, drop, fork and kill each other; every look is checked.

``python -m tests.stress --seconds 60 --seed 1`` runs it, ``--plan NAME`` shows what a process will
do. The files, from the bottom up: `patterns` (what an array must contain), `plan` (decisions from
the seed), `table` (what outlives a killed process), `messages`, `actor` (what a process does),
`worker` (the processes), `supervisor` (starts, kills, stops), `checks` (what must be true at the
end), `report`.
"""
