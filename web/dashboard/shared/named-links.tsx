import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Sum } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { Money } from '../../ui/values.tsx'
import { usePath } from './account.tsx'
import { texts } from './en.ts'

/** A link to another page of the account. Within a sentence it is underlined, since colour alone isn't enough. */
export function PageLink({
  to,
  inText = false,
  children,
}: {
  to: string
  inText?: boolean
  children: ReactNode
}) {
  const path = usePath()
  return (
    <Anchor component={Link} to={path(to)} inherit underline={inText ? 'always' : 'hover'}>
      {typeof children === 'string' ? <Breakable>{children}</Breakable> : children}
    </Anchor>
  )
}

export function AffiliateLink({
  id,
  name,
  email,
  inline = false,
}: {
  id: number
  name: string | null
  email: string
  inline?: boolean
}) {
  return (
    <>
      <PageLink to={`affiliates/${id}`} inText={inline}>
        {name ?? email}
      </PageLink>
      {name && (
        <Text span={inline} size="xs" c="dimmed" ml={inline ? 6 : undefined}>
          <Breakable>{email}</Breakable>
        </Text>
      )}
    </>
  )
}

/** Amounts in several currencies, which can't be added up. */
export function Sums({ sums, none = texts.states.none }: { sums: Sum[]; none?: string }) {
  if (sums.length === 0)
    return (
      <Text span inherit c="dimmed">
        {none}
      </Text>
    )
  return sums.map(({ currency, amount_minor }) => (
    <div key={currency}>
      <Money minor={amount_minor} currency={currency} />
    </div>
  ))
}
