"""Print jobs: requested now, made later by worker processes, as durable workflows of DBOS.

JobQueue.submit -> workflow -> PrintEngine -> WorkerPool prints -> storage -> the job is done
"""
