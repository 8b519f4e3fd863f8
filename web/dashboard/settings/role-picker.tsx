import { Radio, Stack } from '@mantine/core'
import { type Role, roles } from '@tributary/contract/dashboard/permissions'
import { texts } from './en.ts'

export function RolePicker({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return (
    <Radio.Group label={texts.role} value={value} onChange={role => onChange(role as Role)}>
      <Stack gap="xs" mt="xs">
        {roles.map(role => (
          <Radio
            key={role}
            value={role}
            label={texts.roles[role].name}
            description={texts.roles[role].note}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
