import { Group, Text, Timeline } from '@mantine/core'
import type { CampaignDetail, CampaignRule } from '@tributary/contract/dashboard'
import { When } from '../shared/facts.tsx'
import { ruleInWords } from './rule-words.ts'

const names = { affiliate: '', referrer: 'Who refers: ', referee: 'New customer: ' } as const

/** The rules of a campaign in words, a line for everybody it rewards. Who refers comes first. */
export function RulesInWords({ rules }: { rules: CampaignRule[] }) {
  if (rules.length === 0)
    return (
      <Text span inherit c="dimmed">
        Nothing
      </Text>
    )
  return rules
    .toSorted((a, b) => b.beneficiary.localeCompare(a.beneficiary))
    .map(rule => (
      <div key={rule.beneficiary}>
        {names[rule.beneficiary]}
        {ruleInWords(rule)}
        {rule.entry_type === 'credit' && ', as a credit'}
      </div>
    ))
}

/** Which rules the campaign had, and since when. */
export function RuleHistory({ versions }: { versions: CampaignDetail['rule_versions'] }) {
  return (
    <Timeline bulletSize={14} lineWidth={1} active={0}>
      {versions.map(({ version, created_at, rules }) => (
        <Timeline.Item key={version}>
          <Text size="sm" component="div">
            <RulesInWords rules={rules} />
          </Text>
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              Version {version}, since <When time={created_at} />
            </Text>
          </Group>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
