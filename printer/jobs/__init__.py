"""Print jobs: requested now, made later by worker processes that share a durable table.

submit -> job table -> Supervisor leases -> JobWorker prints -> storage -> the job is done
"""
