import { Group, Stack, Text, Title } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useCall } from '../shared/api.ts'
import { Card, Empty, GoButton, Loaded, PageHead } from '../shared/states.tsx'
import { CopyField } from './copy-field.tsx'
import { LinkCard } from './link-card.tsx'

const texts = pages.links

export function Links() {
  const links = useCall('listLinks')
  return (
    <>
      <PageHead title={texts.title} text={texts.text} />
      <Loaded query={links}>
        {({ data, coupon_code: coupon, days }) => (
          <Stack>
            {coupon && (
              <Card>
                <Title order={2} size="h4">
                  {texts.coupon}
                </Title>
                <Text size="sm" c="dimmed" mb="xs">
                  {texts.couponText}
                </Text>
                <CopyField value={coupon} label={texts.coupon} copyLabel={texts.copyCoupon} />
              </Card>
            )}
            {data.length === 0 ? (
              <Empty title={texts.none} action={<GoButton to="/campaigns">{texts.more}</GoButton>} />
            ) : (
              data.map(link => <LinkCard key={link.campaign_id} link={link} days={days} />)
            )}
            {data.length > 0 && (
              <Group gap="xs">
                <GoButton to="/links/creatives">{pages.creatives.open}</GoButton>
                <GoButton to="/campaigns">{texts.more}</GoButton>
              </Group>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  )
}
