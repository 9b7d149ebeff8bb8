"""Prints that are requested now and made later, by worker processes that share a durable table.

submit -> job table -> Supervisor leases -> JobWorker prints -> storage -> the row says done
"""
