"""Slurm's hook, which has new jobs wait for their nodes while netplace places jobs."""

from __future__ import annotations

from pathlib import Path

__all__ = ["UNTIL", "hook"]

UNTIL = "until"  # file in the folder of the follower: the time until which it is taken to run
_HOOK = """\
-- Slurm's job_submit/lua: a new job that leaves its nodes to Slurm waits for netplace, {bound} s at most.
-- Slurm itself starts it then. While no netplace slurm place --follow runs, jobs stay as they are.
local function follows()
  local file = io.open({path}, "r")
  if not file then return false end
  local until_then = file:read("*n")
  file:close()
  return until_then ~= nil and os.time() <= until_then
end

local function is_set(value)
  return value ~= nil and value ~= "" and value ~= 0 and value ~= slurm.NO_VAL and value ~= slurm.NO_VAL64
end

local function catch(job)
  if job.priority == 0 or not is_set(job.min_nodes) then return end
  for _, key in ipairs({{"begin_time", "comment", "req_nodes", "dependency", "array_inx"}}) do
    if is_set(job[key]) then return end
  end
  if follows() then
    job.comment = "netplace"
    job.begin_time = os.time() + {bound}
  end
end

function slurm_job_submit(job, partitions, user)
  pcall(catch, job)  -- an error here must not stop a job
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
