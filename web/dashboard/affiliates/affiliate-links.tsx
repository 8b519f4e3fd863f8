import { Button, Code, Group, Select, Stack, Text } from '@mantine/core'
import type { AffiliateDetail, AffiliateEnrolment } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange, useMay } from '../shared/account.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { useCampaigns } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'

const { links: labels } = texts

/** The affiliate's campaigns with a link for each, and the coupon code, which all of them share. */
export function AffiliateLinks({ affiliate }: { affiliate: AffiliateDetail }) {
  return (
    <Stack gap="md">
      {affiliate.enrolments.map(enrolment => (
        <Enrolment key={enrolment.campaign_id} enrolment={enrolment} />
      ))}
      {affiliate.coupon_code && (
        <div>
          <Text size="sm" fw={600}>
            {texts.fields.couponCode}
          </Text>
          <Copy value={affiliate.coupon_code} label={labels.copyCoupon}>
            <Code>{affiliate.coupon_code}</Code>
          </Copy>
        </div>
      )}
      {useMay('programme') && <Enrol affiliate={affiliate} />}
    </Stack>
  )
}

function Enrolment({ enrolment }: { enrolment: AffiliateEnrolment }) {
  const mayChange = useMay('programme')
  return (
    <div>
      <Text size="sm">
        <PageLink to={`campaigns/${enrolment.campaign_id}`} inText>
          {enrolment.campaign_name}
        </PageLink>{' '}
        <Text span size="xs" c="dimmed">
          {labels.enrolled} <When time={enrolment.enrolled_at} />
        </Text>
      </Text>
      <Copy value={enrolment.link} label={labels.copyLink(enrolment.campaign_name)}>
        <Code>{enrolment.link}</Code>
      </Copy>
      {enrolment.campaign_status !== 'active' && (
        <Text size="xs" c="dimmed">
          {labels.stopped[enrolment.campaign_status]}
        </Text>
      )}
      {!enrolment.has_destination && (
        <Text size="xs" c="dimmed">
          {labels.noDestination}{' '}
          {mayChange && (
            <PageLink to={`campaigns/${enrolment.campaign_id}`} inText>
              {labels.addDestination}
            </PageLink>
          )}
        </Text>
      )}
    </div>
  )
}

function Enrol({ affiliate }: { affiliate: AffiliateDetail }) {
  const [campaign, setCampaign] = useState<string | null>(null)
  const others = useCampaigns().filter(({ id }) => !affiliate.campaign_ids.includes(id))
  const enrol = useChange('createAffiliate', {
    done: labels.enrolledDone,
    onDone: () => setCampaign(null),
  })
  if (others.length === 0) return null
  return (
    <Group align="flex-end" gap="xs">
      <Select
        label={labels.enrolIn}
        placeholder={texts.fields.selectCampaign}
        data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={campaign}
        onChange={setCampaign}
        searchable
        flex="1 1 200px"
        maw={320}
      />
      <Button
        variant="default"
        disabled={campaign === null}
        loading={enrol.isPending}
        onClick={() => enrol.mutate({ body: { email: affiliate.email, campaign_id: Number(campaign) } })}
      >
        {labels.enrol}
      </Button>
    </Group>
  )
}
