import { Button } from '@mantine/core'
import type { DashboardRouteId } from '@tributary/contract/dashboard/routes'
import { DownloadIcon } from '../../ui/icons.tsx'
import { useAccount } from './account.tsx'
import { type CallInput, pathOf } from './api.ts'

/** The list as it is filtered now, as a file. A plain link: the browser saves it while the server still writes. */
export function ExportLink<Id extends DashboardRouteId>({
  route,
  query,
  label = 'Export CSV',
}: {
  route: Id
  query?: CallInput<Id>['query']
  /** Where a page has several lists, which one it is. */
  label?: string
}) {
  const account = useAccount()
  return (
    <Button
      component="a"
      href={`/dashboard/api/${pathOf(account.id, route, { query } as CallInput<Id>)}`}
      download
      variant="default"
      leftSection={<DownloadIcon size={16} />}
    >
      {label}
    </Button>
  )
}
