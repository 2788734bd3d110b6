-- Slurm's job_submit/lua: while netplace slurm place --follow --act runs, a new job that could start at once
-- prefers the nodes that netplace has chosen for its size. AdminComment names them.
local wishes = [[admin_comment array_inx batch_features begin_time burst_buffer clusters container contiguous
  cores_per_socket cpus_per_tres delay_boot dependency exc_nodes features gres immediate licenses mem_per_tres
  ntasks_per_socket pn_min_tmp_disk power_flags prefer reboot req_nodes req_switch reservation
  sockets_per_node threads_per_core tres_per_job tres_per_node tres_per_socket tres_per_task]]
local came = {}  -- jobs since netplace looked: when they came, and the nodes that they prefer

local function is_set(value)
  return value and value ~= "" and value ~= 0 and value ~= 65534 and value ~= slurm.NO_VAL
    and value ~= slurm.NO_VAL64
end

local function is_plain(job)
  for key in wishes:gmatch("%S+") do
    if is_set(job[key]) then return false end
  end
  return job.priority ~= 0 and job.min_nodes == job.max_nodes and job.het_job_offset == slurm.NO_VAL
end

local function choose(job, partitions)
  local file = assert(io.open("@OFFERS@", "r"))
  local looked, last = file:read("*n", "*n")
  local text = file:read("*a")
  file:close()
  assert(os.time() <= last, "netplace does not run")
  local before, taken = came, "|"
  came = {}
  for _, other in ipairs(before) do
    if other.time >= looked then
      table.insert(came, other)
      taken = taken and other.nodes and taken .. other.nodes .. "|"
    end
  end
  local queue = job.partition
  for name, partition in pairs(partitions) do
    if not queue and partition.flag_default == 1 then queue = name end
  end
  for name, size, cpus, memory, nodes in text:gmatch("(%S+) (%d+) (%d+) (%d+) (%S+)") do
    if taken and name == queue and tonumber(size) == job.min_nodes and is_plain(job) then
      for node in nodes:gmatch("[^|]+") do
        if taken:find("|" .. node .. "|", 1, true) then return nil end
      end
      local whole = job.shared == 0 or partitions[queue].max_share == 0 or job.min_cpus == tonumber(cpus)
      local enough = not is_set(job.pn_min_memory) or job.pn_min_memory <= tonumber(memory)
      return whole and enough and job.min_cpus <= tonumber(cpus) and nodes or nil
    end
  end
end

function slurm_job_submit(job, partitions, user)
  local works, nodes = pcall(choose, job, partitions)
  if not works then came, nodes = {}, nil end  -- such as without a file: the job stays as it is
  table.insert(came, {time = os.time(), nodes = nodes})
  if nodes then
    job.prefer = nodes
    job.admin_comment = "netplace " .. nodes
  end
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, user)
  return slurm.SUCCESS
end
