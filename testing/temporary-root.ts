import { readFileSync, statfsSync } from 'node:fs'

const MEMORY = '/dev/shm'
/** Several times what the largest run holds at a time. */
const PLENTY = 4 * 2 ** 30

/** Containers may mount it small, or without the right to run programs, which some tests copy there. */
function hasPlentyOfMemory(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map(line => line.split(' '))
      .findLast(([, at]) => at === MEMORY)
    const { bavail, bsize } = statfsSync(MEMORY)
    const isUsable = mount?.[2] === 'tmpfs' && !mount[3]?.split(',').includes('noexec')
    return isUsable && Math.min(bavail * bsize, process.availableMemory()) > PLENTY
  } catch {
    return false
  }
}

/**
 * Where tests put their databases, which live for seconds: in memory if there is plenty. A disk's file system takes processor time to
 * create and remove their many files, even where nothing has to reach the disk.
 */
export const temporaryRoot = hasPlentyOfMemory() ? MEMORY : '/tmp'
