import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DownloadIcon } from '../../ui/icons.tsx'
import { useAccount } from '../shared/account.tsx'
import { pathOf } from '../shared/api.ts'
import { dayOrNone } from '../shared/days.ts'
import { texts } from './en.ts'

/** Downloads every entry with the running balance, as of the end of a day or of now. */
export function StatementDownload({ affiliateId }: { affiliateId: number }) {
  const account = useAccount()
  const [day, setDay] = useState('')
  const path = pathOf(account.id, 'downloadStatement', { id: affiliateId, query: { as_of: dayOrNone(day) } })
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        type="date"
        label={texts.statement.endDate}
        description={texts.statement.endDateHint(account.time_zone)}
        value={day}
        onChange={event => setDay(event.currentTarget.value)}
        flex="1 1 150px"
        maw={220}
      />
      <Button
        component="a"
        href={`/dashboard/api/${path}`}
        download
        variant="default"
        leftSection={<DownloadIcon size={16} />}
      >
        {texts.statement.download}
      </Button>
    </Group>
  )
}
