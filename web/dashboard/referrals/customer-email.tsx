import { Text } from '@mantine/core'
import { Breakable } from '../../ui/breakable.tsx'

/** The customer's address below the reference; nothing if there is none, or the reference is the address. */
export function CustomerEmail({
  customer,
}: {
  customer: { customer_ref: string; customer_email: string | null }
}) {
  const { customer_ref, customer_email } = customer
  if (customer_email === null || customer_email.toLowerCase() === customer_ref.toLowerCase()) return null
  return (
    <Text size="xs" c="dimmed">
      <Breakable>{customer_email}</Breakable>
    </Text>
  )
}
