import { shortDate } from '../../ui/format.ts'
import { useMe } from './me.tsx'
import { relativeDay } from './relative-day.ts'

/** A date in the company's time zone, as on statements, with the relative time in a tooltip. */
export function Day({ time }: { time: string }) {
  const { time_zone: zone } = useMe()
  return (
    <time dateTime={time} title={relativeDay(time, zone)}>
      {shortDate(time, zone)}
    </time>
  )
}
