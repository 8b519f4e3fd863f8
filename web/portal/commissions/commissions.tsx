import { SegmentedControl } from '@mantine/core'
import type { PortalCommission } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { PagesOf } from '../shared/pages-of.tsx'
import { Empty, PageHead } from '../shared/states.tsx'
import { CommissionRow } from './commission-row.tsx'

const texts = pages.commissions
const filters = ['pending', 'approved', 'paid', 'void'] as const

export function Commissions() {
  const [status, setStatus] = useState<PortalCommission['status'] | 'all'>('all')
  return (
    <>
      <PageHead title={texts.title} text={texts.text} />
      <SegmentedControl
        fullWidth
        mb="md"
        aria-label={texts.status}
        value={status}
        onChange={value => setStatus(value as typeof status)}
        data={[
          { value: 'all', label: texts.all },
          ...filters.map(value => ({ value, label: pages.money[value] })),
        ]}
      />
      <PagesOf
        route="listCommissions"
        query={status === 'all' ? {} : { status }}
        empty={
          status === 'all' ? (
            <Empty title={texts.none} text={texts.noneText} />
          ) : (
            <Empty title={texts.noResults} />
          )
        }
      >
        {commission => <CommissionRow commission={commission} />}
      </PagesOf>
    </>
  )
}
