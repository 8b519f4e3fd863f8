/** Runs something as if this machine were in another time zone. */
export function inTimeZone<T>(zone: string, run: () => T): T {
  const before = process.env.TZ
  process.env.TZ = zone
  try {
    return run()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

/** Zones whose clocks change in every way: by an hour, by half an hour, at midnight, at 01:00, never, by skipping a day. */
export const manyZones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Beirut',
]

/** The calendar day of a moment in a zone, by the zone data of Node.js. */
export function localDay(time: number, zone: string): string {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' })
  formats.set(zone, format)
  return format.format(time)
}
const formats = new Map<string, Intl.DateTimeFormat>()
