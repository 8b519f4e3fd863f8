import { Tooltip } from '@mantine/core'
import { dateAndTime } from '../../ui/format.ts'
import { exactTime } from '../shared/time.ts'

/** A cut-off in the account's time zone, which decides it; the tooltip has the same moment in the browser's. */
export function CutOff({ time, zone }: { time: string; zone: string }) {
  return (
    <Tooltip label={exactTime(time)}>
      <time dateTime={time} tabIndex={-1}>
        {dateAndTime(time, zone)} {zone}
      </time>
    </Tooltip>
  )
}
