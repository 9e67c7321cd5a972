"""Makes results/published: a finished study as tables, charts and pages, for people and programs.

``python -m publish STORE`` reads a store that holds every pot of the plans in that folder and
writes all else there, and the tables of the README that stand between marks. What it says it reads
back from the files that it has written; ``python -m publish`` alone makes texts and charts of them
again, and the exact values of the policy that was not played.
"""
