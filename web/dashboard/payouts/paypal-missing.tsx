import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../shared/account.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'

/** The account has no PayPal credentials yet: what that prevents, and where to add them. */
export function PayPalMissing({ children }: { children: ReactNode }) {
  const mayChangeSettings = useMay('settings')
  return (
    <Alert color="yellow" variant="light" mb="md" title={texts.payPalMissing.title}>
      <Text size="sm">
        {children}{' '}
        {mayChangeSettings ? (
          <PageLink inText to="settings/payout-rails">
            {texts.payPalMissing.action}
          </PageLink>
        ) : (
          texts.payPalMissing.askAdmin
        )}
      </Text>
    </Alert>
  )
}
