"""Prints that are asked for now and made later: one durable table, and the processes that work.

    submit -> jobs table -> Supervisor claims -> a Child renders -> Storage -> the row says done

The table is the truth.  A job is accepted when its row is committed, belongs to one attempt at a
time, and is done when that attempt's row says so; whoever works for an attempt that is over is
turned away.
"""
