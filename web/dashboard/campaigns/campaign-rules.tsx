import { Text, Timeline } from '@mantine/core'
import type { CampaignDetail, CampaignRule } from '@tributary/contract/dashboard'
import { When } from '../shared/facts.tsx'
import { texts } from './en.ts'
import { ruleLine } from './rule-text.ts'

/** The rules of a campaign, one line per beneficiary, the referrer first. */
export function RuleLines({ rules }: { rules: CampaignRule[] }) {
  if (rules.length === 0)
    return (
      <Text span inherit c="dimmed">
        {texts.noRule}
      </Text>
    )
  return rules
    .toSorted((a, b) => b.beneficiary.localeCompare(a.beneficiary))
    .map(rule => <div key={rule.beneficiary}>{ruleLine(rule)}</div>)
}

/** The rule versions of a campaign and when each took effect. */
export function RuleHistory({ versions }: { versions: CampaignDetail['rule_versions'] }) {
  return (
    <Timeline bulletSize={14} lineWidth={1} active={0}>
      {versions.map(({ version, created_at, rules }) => (
        <Timeline.Item key={version}>
          <Text size="sm" component="div">
            <RuleLines rules={rules} />
          </Text>
          <Text size="xs" c="dimmed">
            {texts.page.version(version)} <When time={created_at} />
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
