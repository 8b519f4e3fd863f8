// Processor time and memory of the service and of PostgreSQL, from Linux's /proc. Other systems get no such columns.
import { readdirSync, readFileSync } from 'node:fs'
import { withOwner } from './service.js'

/** The unit of /proc/<pid>/stat, which is the same on every Linux. */
const MS_PER_TICK = 10

/** A file about a process; empty if the process has ended. */
function readOf(id, file) {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return ''
    throw error
  }
}

/** Every process by id: its parent, and its processor time with that of its children that ended. */
function processes() {
  const found = new Map()
  for (const name of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const stat = readOf(name, 'stat')
    if (stat === '') continue
    // The command's name may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    found.set(Number(name), { parent: Number(fields[1]), ms: ticks * MS_PER_TICK })
  }
  return found
}

/** The ids of a process and its descendants, without another process and its descendants. */
function tree(all, root, except) {
  const ids = [root]
  for (const id of ids)
    for (const [child, { parent }] of all) if (parent === id && child !== except) ids.push(child)
  return ids
}

/** The process ids of the service and of PostgreSQL's postmaster; undefined where there is no /proc. */
export async function rootsOf({ pid, dataDir }) {
  if (process.platform !== 'linux') return undefined
  return withOwner(dataDir, async owner => {
    const { rows } = await owner.query('SELECT pg_backend_pid() AS id')
    return { service: pid, postgres: processes().get(rows[0].id).parent }
  })
}

function processorMs({ service, postgres }) {
  const all = processes()
  const total = ids => ids.reduce((sum, id) => sum + all.get(id).ms, 0)
  return { service: total(tree(all, service, postgres)), postgres: total(tree(all, postgres)) }
}

/** Adds up the processor time taken while `during` runs its work. */
export function processorMeter(roots) {
  const spent = { service: 0, postgres: 0 }
  return {
    async during(work) {
      if (!roots) return work()
      const before = processorMs(roots)
      const result = await work()
      const after = processorMs(roots)
      for (const part of Object.keys(spent)) spent[part] += after[part] - before[part]
      return result
    },
    /** Processor milliseconds per request. */
    per(requests) {
      if (!roots) return {}
      const of = part => Number((spent[part] / requests).toFixed(3))
      return { service_cpu_ms: of('service'), postgres_cpu_ms: of('postgres') }
    },
  }
}

/** A line of a file about a process, in MiB. */
const mib = (id, file, line) =>
  Number(new RegExp(`^${line}:\\s+(\\d+)`, 'm').exec(readOf(id, file))?.[1] ?? 0) / 1024

/** The resident memory of a process. */
export const residentMiB = id => mib(id, 'status', 'VmRSS')

/** Resident memory of the service; of PostgreSQL the proportional share (Pss), which counts its shared memory once. */
export function memoryOf(roots) {
  if (!roots) return {}
  const all = processes()
  const total = (ids, read) => Math.round(ids.reduce((sum, id) => sum + read(id), 0))
  return {
    service_mib: total(tree(all, roots.service, roots.postgres), residentMiB),
    postgres_mib: total(tree(all, roots.postgres), id => mib(id, 'smaps_rollup', 'Pss')),
  }
}
