import { describe, expect, it } from 'vitest'
import { inTimeZone } from '../../../testing/time-zone.ts'
import { isSupportedZone } from '../../ui/format.ts'
import { browserZone, matchesZone, offeredZones } from './time-zones.ts'

describe('the zones to choose from', () => {
  it('begin with UTC and have each zone once, under its current name', () => {
    const zones = offeredZones('Europe/Berlin')
    expect(zones[0]).toBe('UTC')
    expect(new Set(zones).size).toBe(zones.length)
    for (const name of ['Europe/Berlin', 'Asia/Kolkata', 'Europe/Kyiv', 'America/New_York'])
      expect(zones).toContain(name)
    for (const name of ['Asia/Calcutta', 'Europe/Kiev', 'America/Indianapolis'])
      expect(zones).not.toContain(name)
  })

  it('hold the one that is set, even if this browser does not know it', () => {
    expect(offeredZones('Mars/Olympus_Mons')).toContain('Mars/Olympus_Mons')
    expect(isSupportedZone('Mars/Olympus_Mons')).toBe(false)
    expect(isSupportedZone('Asia/Kolkata')).toBe(true)
  })
})

it.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['UTC', 'UTC'],
  ['Etc/GMT+5', 'UTC'],
])('a browser in %s offers %s', (zone, offered) => {
  expect(inTimeZone(zone, browserZone)).toBe(offered)
})

it('a zone is found by its city, as people write it', () => {
  expect(matchesZone('America/New_York', 'new york')).toBe(true)
  expect(matchesZone('America/New_York', ' New_Y')).toBe(true)
  expect(matchesZone('America/New_York', 'berlin')).toBe(false)
})
