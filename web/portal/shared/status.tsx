import { pages as texts } from '@tributary/contract/portal/texts'
import { Status } from '../../ui/values.tsx'

/** A status in the words of the portal, or in others where they say more. */
export const StatusBadge = ({ value, label }: { value: keyof typeof texts.status; label?: string }) => (
  <Status value={value} label={label ?? texts.status[value]} />
)
