-- Requests the fewest leaf switches that can hold a job, and limits the wait for them.
local most = { @SWITCHES@ }  -- nodes below 1, 2, .. leaf switches, the fullest first
local wait = @WAIT@  -- seconds; slurm.conf: SchedulerParameters=max_switch_wait=@WAIT@

function slurm_job_submit(job_desc, part_list, submit_uid)
    local nodes = job_desc.min_nodes
    if nodes == nil or nodes == slurm.NO_VAL or job_desc.req_switch ~= 0 then
        return slurm.SUCCESS
    end
    for count, room in ipairs(most) do
        if nodes <= room then
            job_desc.req_switch = count
            job_desc.wait4switch = wait
            return slurm.SUCCESS
        end
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
