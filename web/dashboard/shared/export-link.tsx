import { Button } from '@mantine/core'
import type { DashboardRouteId } from '@tributary/contract/dashboard/routes'
import { DownloadIcon } from '../../ui/icons.tsx'
import { useAccount } from './account.tsx'
import { type CallInput, pathOf } from './api.ts'
import { texts } from './en.ts'

/** Exports the list with its current filters. A plain link, so the browser streams the file to disk. */
export function ExportLink<Id extends DashboardRouteId>({
  route,
  id,
  query,
  label = texts.actions.exportCsv,
}: {
  route: Id
  /** Of what the list belongs to. */
  id?: number
  query?: CallInput<Id>['query']
  /** Names the list where a page has several. */
  label?: string
}) {
  const account = useAccount()
  return (
    <Button
      component="a"
      href={`/dashboard/api/${pathOf(account.id, route, { id, query } as CallInput<Id>)}`}
      download
      variant="default"
      leftSection={<DownloadIcon size={16} />}
    >
      {label}
    </Button>
  )
}
