import { renamedZones } from '@tributary/contract/dashboard/time-zones'
import { isSupportedZone } from '../../ui/format.ts'

/** The zone's current name, where this browser has it. */
function currentName(zone: string): string {
  const renamed = renamedZones[zone]
  return renamed !== undefined && isSupportedZone(renamed) ? renamed : zone
}

/** Every zone to choose from, and the one that is set now. */
export const offeredZones = (current: string): string[] =>
  [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone').map(currentName).toSorted()])].filter(
    Boolean,
  )

/** Where the browser is; UTC where it reports an offset or nothing that a server would accept. */
export function browserZone(): string {
  const timeZone = currentName(new Intl.DateTimeFormat().resolvedOptions().timeZone)
  return offeredZones('UTC').includes(timeZone) ? timeZone : 'UTC'
}

/** Whether a zone matches what was typed: "new york" finds America/New_York. */
export const matchesZone = (zone: string, typed: string): boolean =>
  zone.toLowerCase().replaceAll('_', ' ').includes(typed.trim().toLowerCase().replaceAll('_', ' '))
