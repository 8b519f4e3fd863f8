import { Text } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { shortDate } from '../../ui/format.ts'
import { look } from '../shared/look.ts'
import { useMe } from '../shared/me.tsx'
import { Card, PageHead } from '../shared/states.tsx'

const texts = pages.application

/** The only page of an affiliate whose application is still pending. */
export function Application() {
  const me = useMe()
  return (
    <>
      <PageHead title={texts.title} text={texts.text(look.name, look.sends_emails)} />
      <Card>
        <Text>{texts.since(shortDate(me.created_at))}</Text>
        <Text mt="sm" fw={600}>
          {texts.campaigns}
        </Text>
        <ul style={{ margin: '4px 0 0', paddingLeft: 20 }}>
          {me.campaigns.map(({ id, name }) => (
            <li key={id}>{name}</li>
          ))}
        </ul>
      </Card>
    </>
  )
}
