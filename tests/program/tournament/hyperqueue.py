"""Runs `part.sh` as the tasks 1 to 4 of a job of HyperQueue, with a server and two workers."""

import sys

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

with LocalCluster() as cluster:
    for _ in range(2):
        cluster.start_worker(WorkerConfig(cores=2))
    job = Job(max_fails=0)
    # The number of a task in HQ_TASK_ID counts from 0.
    job.program(["true"])
    for _ in range(4):
        job.program(["bash", "part.sh"])
    client = cluster.client()
    sys.exit(not client.wait_for_jobs([client.submit(job)]))
