import { Select, type SelectProps } from '@mantine/core'
import { texts } from './en.ts'
import { matchesZone, offeredZones } from './time-zones.ts'

/** All time zones, found by typing a part of the name. */
export function TimeZoneSelect({ current, ...props }: Omit<SelectProps, 'data'> & { current: string }) {
  return (
    <Select
      label={texts.time.zone}
      data={offeredZones(current)}
      searchable
      allowDeselect={false}
      nothingFoundMessage={texts.time.noZone}
      filter={({ options, search }) =>
        options.filter(option => !('group' in option) && matchesZone(option.value, search))
      }
      {...props}
    />
  )
}
