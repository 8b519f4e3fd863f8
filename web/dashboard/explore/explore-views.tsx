import { Group } from '@mantine/core'
import { ButtonLink } from '../shared/links.tsx'
import { texts } from './en.ts'

/** The views of the explorer; each keeps the campaign and the affiliate of the others. */
export function ExploreViews({
  shown,
  filters,
}: {
  shown: keyof typeof texts.views
  filters: { campaign_id?: number | undefined; affiliate_id?: number | undefined }
}) {
  const look = (view: typeof shown) =>
    view === shown
      ? ({ variant: 'light', 'aria-current': 'page' } as const)
      : ({ variant: 'subtle', color: 'gray' } as const)
  // The lists begin with what the numbers count.
  const counted = { ...filters, is_counted: true } as const
  return (
    <Group component="nav" gap={4} mb="sm" aria-label={texts.title}>
      <ButtonLink to="/$account/explore" search={filters} size="compact-sm" {...look('performance')}>
        {texts.views.performance}
      </ButtonLink>
      <ButtonLink to="/$account/explore/cohorts" search={filters} size="compact-sm" {...look('cohorts')}>
        {texts.views.cohorts}
      </ButtonLink>
      <ButtonLink to="/$account/explore/sales" search={counted} size="compact-sm" {...look('sales')}>
        {texts.views.sales}
      </ButtonLink>
      <ButtonLink to="/$account/explore/clicks" search={counted} size="compact-sm" {...look('clicks')}>
        {texts.views.clicks}
      </ButtonLink>
    </Group>
  )
}
