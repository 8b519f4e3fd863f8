import { Text } from '@mantine/core'
import type { LinkOf } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'

/** How a link did. */
export const LinkCounts = ({ link, days }: { link: LinkOf; days: number }) => (
  <Text size="sm" c="dimmed" className="number">
    {pages.links.counts(link.clicks, link.conversions, days)}
  </Text>
)
