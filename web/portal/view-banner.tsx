import { Button, Text } from '@mantine/core'
import type { Me } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { dateAndTime } from '../ui/format.ts'
import { useChange } from './shared/api.ts'
import { useMe } from './shared/me.tsx'
import { Problem } from './shared/states.tsx'

const texts = pages.view

/** Shown while a member of the company's team views the portal as an affiliate. */
export function ViewBanner({ view }: { view: NonNullable<Me['view']> }) {
  const me = useMe()
  // A full page load clears all cached data.
  const exit = useChange('signOut', () => window.location.assign(view.back))
  return (
    <section className="view-banner" aria-label={texts.label}>
      <Text size="sm" fw={500}>
        {texts.text(me.name ?? me.email, dateAndTime(view.expires_at))}
      </Text>
      <Button size="xs" color="dark" loading={exit.isPending} onClick={() => exit.mutate({})}>
        {texts.exit}
      </Button>
      {exit.error && <Problem error={exit.error} />}
    </section>
  )
}
