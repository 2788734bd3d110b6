"""Slurm's hook, which puts new jobs off for a moment, until netplace has chosen their nodes."""

from __future__ import annotations

from pathlib import Path

__all__ = ["UNTIL", "hook"]

UNTIL = "until"  # file in the folder of the follower: until when it is taken to run, and free nodes
_HOOK = """\
-- Slurm's job_submit/lua: while netplace slurm place --follow runs and has free nodes for a new job, the job
-- waits until netplace has chosen nodes, but {bound} s at most: Slurm then starts it. AdminComment says so.
local function is_set(value)
  return value ~= nil and value ~= "" and value ~= 0 and value ~= slurm.NO_VAL and value ~= slurm.NO_VAL64
end

local function catch(job)
  if job.priority == 0 or not is_set(job.min_nodes) or job.min_nodes ~= job.max_nodes then return end
  if job.het_job_offset ~= slurm.NO_VAL then return end
  for _, key in ipairs({{"admin_comment", "array_inx", "begin_time", "burst_buffer", "dependency",
                        "exc_nodes", "features", "immediate", "licenses", "prefer", "req_nodes",
                        "reservation"}}) do
    if is_set(job[key]) then return end
  end
  local file = assert(io.open({path}, "r"))
  local until_then, free = file:read("*n", "*n")
  file:close()
  if os.time() > until_then or job.min_nodes > free then return end
  local begin = os.time() + {bound}
  job.admin_comment = string.format("netplace %d", begin)
  job.begin_time = begin
end

function slurm_job_submit(job, partitions, user)
  pcall(catch, job)  -- an error, such as of a missing file, leaves the job as it is
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, user)
  return slurm.SUCCESS
end
"""


def hook(folder: Path, bound: int) -> str:
    """Return a job_submit.lua for a follower with the given folder; jobs wait `bound` seconds at most."""
    return _HOOK.format(path=_quoted(folder / UNTIL), bound=bound)


def _quoted(path: Path) -> str:
    """Return an absolute path as a string of Lua."""
    text = str(path.resolve())
    if not text.isprintable() or any(letter in text for letter in "\\\"'"):
        raise ValueError(
            f"--folder {path.parent}: expected a path without quotes, backslashes and control characters"
        )
    return f'"{text}"'
