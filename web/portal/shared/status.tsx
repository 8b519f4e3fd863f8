import { pages as texts } from '@tributary/contract/portal/texts'
import { Status } from '../../ui/values.tsx'

/** A status with the portal's label for it, unless another label is given. */
export const StatusBadge = ({ value, label }: { value: keyof typeof texts.status; label?: string }) => (
  <Status value={value} label={label ?? texts.status[value]} />
)
