import { Text } from '@mantine/core'
import { look } from './look.ts'

/** The company's logo or name, on every page. */
export function Brand() {
  return look.logo ? (
    <img src={look.logo} alt={look.name} />
  ) : (
    <Text fw={700} truncate>
      {look.name}
    </Text>
  )
}
