import { Radio, Stack } from '@mantine/core'
import { type Role, roles } from '@tributary/contract/dashboard/permissions'
import { words } from '../../ui/format.ts'

export const roleWords: Record<Role, string> = {
  owner: 'Everything, and decides who is on the team.',
  admin: 'Runs the programme, moves money and sets it up: keys, webhooks, payout rails. Not the team.',
  finance: 'Sees everything; approves commissions, and makes and pays payouts.',
  viewer: 'Sees everything and changes nothing.',
}

export function RolePicker({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return (
    <Radio.Group label="Role" value={value} onChange={role => onChange(role as Role)}>
      <Stack gap="xs" mt="xs">
        {roles.map(role => (
          <Radio key={role} value={role} label={words(role)} description={roleWords[role]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
