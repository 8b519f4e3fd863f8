import { shortDate } from '../../ui/format.ts'
import { relativeDay } from './relative-day.ts'

/** A date, with the relative time in a tooltip. */
export const Day = ({ time }: { time: string }) => (
  <time dateTime={time} title={relativeDay(time)}>
    {shortDate(time)}
  </time>
)
