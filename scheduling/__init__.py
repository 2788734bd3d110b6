"""Who runs when: jobs, queues and schedules. Nothing here yet; it will import `placement` only."""
