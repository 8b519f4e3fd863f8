import { Badge, Box, Text } from '@mantine/core'
import type { ListedClick } from '@tributary/contract/dashboard'
import { Breakable } from '../../ui/breakable.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { When } from '../shared/facts.tsx'
import { sourceName } from '../shared/source-name.ts'
import { texts } from './en.ts'
import { affiliateColumn, campaignColumn, RowsPage } from './rows-page.tsx'

const { names } = sharedTexts.sources
const { columns: labels } = texts.rows

/** Where it came from: its site, and what the link was tagged with. */
function Source({ click }: { click: ListedClick }) {
  const ad = click.ad && texts.rows.ad(click.ad)
  const tags = [click.utm_source, click.utm_medium, click.utm_campaign, click.sub_id, ad].filter(Boolean)
  return (
    <Box maw={200}>
      <Breakable>{click.referrer ?? sharedTexts.metrics.none}</Breakable>
      {tags.length > 0 && (
        <Text size="xs" c="dimmed">
          <Breakable>{tags.join(' · ')}</Breakable>
        </Text>
      )}
    </Box>
  )
}

const columns: Column<ListedClick>[] = [
  {
    title: sharedTexts.fields.date,
    sorts: true,
    cell: row => (
      <>
        <When time={row.created_at} withTime />
        {row.is_bot && (
          <Badge size="xs" variant="outline" color="gray" ml={6} tt="none">
            {labels.bot}
          </Badge>
        )}
      </>
    ),
  },
  affiliateColumn,
  campaignColumn,
  {
    title: names.landing_page,
    cell: row => (
      <Box maw={240}>
        <Breakable>{row.landing_page ?? sharedTexts.metrics.none}</Breakable>
      </Box>
    ),
  },
  { title: labels.source, cell: row => <Source click={row} /> },
  {
    title: names.country,
    hiddenOn: 'small-laptop',
    cell: row => (row.country ? sourceName('country', row.country) : sharedTexts.metrics.none),
  },
  {
    title: names.device,
    hiddenOn: 'small-laptop',
    cell: row => (row.device ? sourceName('device', row.device) : sharedTexts.metrics.none),
  },
]

/** What the number of clicks consists of, while clicks are stored. */
export const Clicks = () => (
  <RowsPage shown="clicks" route="exportClicks" note={texts.rows.clicksNote}>
    {(query, empty) => (
      <DataTable
        route="listClicks"
        label={texts.views.clicks}
        query={query}
        columns={columns}
        empty={empty}
      />
    )}
  </RowsPage>
)
